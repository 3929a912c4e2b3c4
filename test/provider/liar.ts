import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An endpoint between a client and a node that changes answers. */
interface Liar {
  readonly url: string
  /** How many answers it gave since it was told to be honest or to lie. */
  readonly count: () => number
  /** What becomes of the answer of a number, from now on; honest if there is none. */
  lie(at: number | undefined, change: (result: unknown, method: string) => unknown): void
  close(): Promise<void>
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}

export const startLiar = async (node: string): Promise<Liar> => {
  let lyingAt: number | undefined
  let count = 0
  let change: Parameters<Liar['lie']>[1] = (result) => result
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    const { method } = JSON.parse(body) as { method: string }
    const headers = { 'content-type': 'application/json' }
    const reply = (await (await fetch(node, { method: 'POST', headers, body })).json()) as {
      result?: unknown
    }
    const isLie = count++ === lyingAt && 'result' in reply
    const told = isLie ? { ...reply, result: await change(reply.result, method) } : reply
    response.writeHead(200, headers).end(JSON.stringify(told))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    count: () => count,
    lie: (at, next) => {
      lyingAt = at
      count = 0
      change = next
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
