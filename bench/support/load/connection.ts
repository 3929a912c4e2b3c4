import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { encodeRequest } from './rawLoad.ts'

/**
 * A persistent connection with one request in flight. It parses only as much of HTTP/1.1 as servers use, and is cheap,
 * because the client shares the machine with the server that it measures.
 */
export interface Connection {
  /** Whether the server has closed it, as servers do with those that were not used for a while. */
  readonly isClosed: boolean
  /** Sends a request of `encodeRequest` and returns the body of the response. */
  exchange(request: Buffer): Promise<string>
  /** Closes it; a request that waits is rejected with the error, if one is given. */
  close(error?: Error): void
}

const headEnd = Buffer.from('\r\n\r\n')

const lastChunk = Buffer.from('0\r\n\r\n')

/** Returns the body if it is complete, else how many bytes are worth another look. */
const readResponse = (received: Buffer): string | number => {
  const end = received.indexOf(headEnd)
  if (end < 0) return received.length + 1
  const head = received.subarray(0, end).toString('latin1')
  if (!head.startsWith('HTTP/1.1 200 ')) throw new Error(`rejected: ${received.toString().slice(0, 300)}`)
  const start = end + headEnd.length
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length === undefined) return readChunks(received.subarray(start)) ?? Number.POSITIVE_INFINITY
  const whole = start + Number(length)
  return received.length < whole ? whole : received.subarray(start).toString()
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

/** What came of a response so far; its parts are joined only when it may be complete, for some have a hundred MB. */
class IncomingResponse {
  #parts: Buffer[] = []
  #bytes = 0
  #worthALook = 0

  /** Returns the body once it is complete. */
  add(part: Buffer): string | undefined {
    this.#parts.push(part)
    this.#bytes += part.length
    if (this.#bytes < this.#worthALook && !this.#endsWithLastChunk()) return undefined
    const received = this.#parts.length === 1 ? part : Buffer.concat(this.#parts)
    this.#parts = [received]
    const read = readResponse(received)
    if (typeof read === 'number') this.#worthALook = read
    return typeof read === 'number' ? undefined : read
  }

  #endsWithLastChunk(): boolean {
    const tail = Buffer.concat(this.#parts.slice(-lastChunk.length)).subarray(-lastChunk.length)
    return tail.equals(lastChunk)
  }
}

export const connect = async (port: number): Promise<Connection> => {
  const socket: Socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  let waiting: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined
  let incoming = new IncomingResponse()
  const fail = (error: Error): void => waiting?.reject(error)
  const closed = new Error('the server closed a connection')
  socket.on('error', fail)
  socket.on('close', () => fail(closed))
  socket.on('data', (chunk) => {
    try {
      const body = incoming.add(chunk)
      if (body === undefined) return
      incoming = new IncomingResponse()
      waiting?.resolve(body)
    } catch (error) {
      fail(error as Error) // IncomingResponse throws nothing else
    }
  })
  return {
    get isClosed() {
      return socket.destroyed || socket.readableEnded
    },
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
