import { once } from 'node:events'
import { createServer, type Http2Server, type Http2Session, type ServerHttp2Stream } from 'node:http2'
import { QueryError } from '../chain.ts'
import { askModule, type ReplayContext } from './rpc.ts'

/** The modules' queries by gRPC (section 2.2), unary calls alone. */

const headerOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value

const refuse = (stream: ServerHttp2Stream, status: number, message: string): void => {
  stream.respond(
    {
      ':status': 200,
      'content-type': 'application/grpc',
      'grpc-status': String(status),
      'grpc-message': message,
    },
    { endStream: true },
  )
}

const reply = (stream: ServerHttp2Stream, value: Uint8Array, height: number): void => {
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'x-cosmos-block-height': String(height) },
    { waitForTrailers: true },
  )
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  const frame = Buffer.alloc(5)
  frame.writeUInt32BE(value.length, 1)
  stream.end(Buffer.concat([frame, value]))
}

const answer = (
  stream: ServerHttp2Stream,
  spoken: ReplayContext,
  path: string,
  asked: number,
  body: Buffer,
): void => {
  const fail = (status: number, message: string): void =>
    refuse(stream, status, spoken.faults.grpcSpaces ? `${message} ` : encodeURIComponent(message))
  try {
    const request = body.subarray(5)
    const found = askModule(spoken, path, (height) => spoken.chain.query(path, request, height), asked)
    reply(stream, found.answer.value, found.height)
  } catch (error) {
    if (!(error instanceof QueryError)) fail(13, (error as Error).message)
    else if (error.code === 6) fail(12, 'unknown service')
    else if (error.code === 26 || error.code === 18)
      fail(2, `codespace sdk code ${error.code}: ${error.message.split(': ').toReversed().join(': ')}`)
    else fail(error.code === 22 ? 5 : 2, error.message)
  }
}

export interface GrpcServer {
  readonly port: number
  close(): Promise<void>
}

export const startGrpc = async (spoken: ReplayContext, port: number): Promise<GrpcServer> => {
  const server: Http2Server = createServer()
  const sessions = new Set<Http2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => session.destroy())
  })
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = []
    stream.on('error', () => stream.destroy())
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      const path = headerOf(headers[':path']) ?? ''
      const asked = Number(headerOf(headers['x-cosmos-block-height']) ?? 0)
      const { hangs = [], delay = 0 } = spoken.faults
      const { grpcExhausted, grpcStatus, key } = spoken.faults
      if (key !== undefined && headers['x-api-key'] !== key) return refuse(stream, 16, 'no key')
      if (grpcStatus !== undefined) return refuse(stream, grpcStatus, 'no healthy upstream')
      if (grpcExhausted) return refuse(stream, 8, 'too many requests')
      if (hangs.includes('grpc') || hangs.includes(path)) return
      const respond = (): void => {
        if (!stream.destroyed) answer(stream, spoken, path, asked, Buffer.concat(chunks))
      }
      if (delay === 0) respond()
      else setTimeout(respond, delay)
    })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number } // it listens on a port
  return {
    port: address.port,
    close: async () => {
      for (const session of sessions) session.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
