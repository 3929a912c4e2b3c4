import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { WebSocket, WebSocketServer } from 'ws'
import { postJson } from '../../support/clients.ts'
import { type RecordedQuery, requestName } from './recordingFile.ts'

/** CometBFT's RPC of a node, passed on as it is; queries of modules are written down. */
export interface RecordingProxy {
  readonly url: string
  /** What was written down since the last time. */
  takeQueries(): RecordedQuery[]
  close(): Promise<void>
}

interface AbciQuery {
  readonly path: string
  readonly data?: string
  readonly height?: string
  readonly prove?: boolean
}

interface Request {
  readonly id: unknown
  readonly method: string
  readonly params?: AbciQuery
}

interface Reply {
  readonly id: unknown
  readonly result?: { readonly response?: RecordedQuery['response'] }
}

const listOf = <T>(message: string): readonly T[] => {
  const parsed: unknown = JSON.parse(message)
  return (Array.isArray(parsed) ? parsed : [parsed]) as readonly T[]
}

export const startRecordingProxy = async (node: string): Promise<RecordingProxy> => {
  const queries = new Map<string, RecordedQuery>()
  const record = ({ path, data = '', height = '0', prove = false }: AbciQuery, reply: Reply): void => {
    const response = reply.result?.response
    if (response === undefined) return
    const { code, log = '', codespace = '', value, proofOps } = response
    const kept = { code, log, codespace, value, ...(prove ? { proofOps } : {}) }
    queries.set([path, data, height, prove].join(' '), {
      path,
      data: requestName(data),
      height: Number(height),
      prove,
      response: kept,
    })
  }
  const recorder = () => {
    const asked = new Map<unknown, AbciQuery>()
    return {
      request: (message: string): void => {
        for (const { id, method, params } of listOf<Request>(message))
          if (method === 'abci_query' && params !== undefined) asked.set(id, params)
      },
      reply: (message: string): void => {
        for (const reply of listOf<Reply>(message)) {
          const query = asked.get(reply.id)
          if (query !== undefined) record(query, reply)
          asked.delete(reply.id)
        }
      },
    }
  }
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { request: onRequest, reply: onReply } = recorder()
    try {
      onRequest(body)
      const answer = await postJson(node, body)
      onReply(answer)
      response.setHeader('Content-Type', 'application/json')
      response.end(answer)
    } catch {
      response.destroy()
    }
  }
  const server = createServer((request, response) => void pass(request, response))
  const sockets = new WebSocketServer({ server, path: '/websocket', perMessageDeflate: false })
  sockets.on('connection', (client) => {
    const { request, reply } = recorder()
    const upstream = new WebSocket(`${node.replace('http', 'ws')}/websocket`)
    const opened = once(upstream, 'open').catch(() => client.terminate())
    client.on('message', (data) => {
      request(String(data))
      void opened.then(() => upstream.readyState === WebSocket.OPEN && upstream.send(String(data)))
    })
    upstream.on('message', (data) => {
      reply(String(data))
      client.send(String(data))
    })
    upstream.on('error', () => client.terminate())
    upstream.on('close', () => client.close())
    client.on('close', () => upstream.close())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number } // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    takeQueries: () => {
      const taken = [...queries.values()]
      queries.clear()
      return taken
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate()
      sockets.close()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
