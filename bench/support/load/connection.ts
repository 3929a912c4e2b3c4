import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { encodeRequest } from './rawLoad.ts'

/**
 * A persistent connection with one request in flight. It parses only as much of HTTP/1.1 as servers use, and is cheap,
 * because the client shares the machine with the server that it measures.
 */
export interface Connection {
  /** Sends a request of `encodeRequest` and returns the body of the response. */
  exchange(request: Buffer): Promise<string>
  /** Closes it; a request that waits is rejected with the error, if one is given. */
  close(error?: Error): void
}

const headEnd = Buffer.from('\r\n\r\n')

/** Returns the body once it is complete. */
const readResponse = (received: Buffer): string | undefined => {
  const end = received.indexOf(headEnd)
  if (end < 0) return undefined
  const head = received.subarray(0, end).toString('latin1')
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`refused: ${received.toString().slice(0, 300)}`)
  const body = received.subarray(end + headEnd.length)
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length === undefined) return readChunks(body)
  return body.length < Number(length) ? undefined : body.toString()
}

const readChunks = (body: Buffer): string | undefined => {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(body.subarray(at, lineEnd).toString('latin1'), 16)
    const end = lineEnd + 2 + size
    if (body.length < end + 2) return undefined
    if (size === 0) return Buffer.concat(parts).toString()
    parts.push(body.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

export const connect = async (port: number): Promise<Connection> => {
  const socket: Socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined
  let held: Buffer[] = []
  const fail = (error: Error): void => waiting?.reject(error)
  const closed = new Error('the server closed a connection')
  socket.on('error', fail)
  socket.on('close', () => fail(closed))
  socket.on('data', (chunk) => {
    held.push(chunk)
    const received = held.length === 1 ? chunk : Buffer.concat(held)
    held = [received]
    try {
      const body = readResponse(received)
      if (body === undefined) return
      held = []
      waiting?.resolve(body)
    } catch (error) {
      fail(error as Error) // readResponse throws nothing else
    }
  })
  return {
    exchange: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        if (socket.destroyed) reject(closed)
        else socket.write(request)
      }),
    close: (error) => {
      if (error !== undefined) fail(error)
      waiting = undefined
      socket.destroy()
    },
  }
}

/** Returns the result of one call; throws its error. */
export const call = async <T>(
  connection: Connection,
  method: string,
  ...params: readonly unknown[]
): Promise<T> => {
  const request = encodeRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
  const { result, error } = JSON.parse(await connection.exchange(request)) as {
    result: T
    error?: { code: number; message: string }
  }
  if (error !== undefined) throw new Error(`${method}: ${error.code} ${error.message}`)
  return result
}
