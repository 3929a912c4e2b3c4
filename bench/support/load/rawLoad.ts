import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { percentile } from './percentile.ts'
import { ResponseReader } from './responseReader.ts'

export interface LoadOptions {
  readonly port: number
  /** Requests with their heads, as they go onto the wire; sent in turn. */
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly seconds: number
  /** How many requests are sent each second by all connections; as many as are answered if undefined. */
  readonly rate?: number | undefined
}

export interface LoadResult {
  readonly requests: number
  /** From the first request to the last response. */
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** The mean length of a body. */
  readonly bytes: number
  /** Responses with an error, of HTTP or of JSON-RPC. */
  readonly errors: number
  /** The CPU time of whoever made the load. */
  readonly cpuMs: number
  readonly generator: 'own' | 'wrk'
}

/** Returns a request as bytes. */
export const encodeRequest = (body: string): Buffer =>
  Buffer.from(
    `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )

const readBytes = 1 << 16

/**
 * A closed loop: each connection sends its next request when the response to the last one is there. Whatever is under
 * way at the end is waited for and counts.
 */
export const driveRawLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const { port, requests, connections, seconds, rate } = options
  const latencies: number[] = []
  let errors = 0
  let bytes = 0
  let next = 0
  let startAt = 0
  let endAt = 0
  const sockets: Socket[] = []
  const loops: (() => Promise<void>)[] = []
  for (let index = 0; index < connections; index++) {
    let sentAt = 0
    let finish = (): void => {}
    let fail = (_: Error): void => {}
    const send = (at: number): void => {
      sentAt = performance.now()
      // The cast is sound because the index is within the list.
      socket.write(requests[at % requests.length] as Buffer)
    }
    /** Each request has its turn, and with a rate its time. */
    const sendNext = (): void => {
      const at = next++
      const wait = rate === undefined ? 0 : startAt + (at * 1000) / rate - performance.now()
      if (wait < 1) send(at)
      else setTimeout(send, wait, at)
    }
    const reader = new ResponseReader((isError, length) => {
      const now = performance.now()
      latencies.push(now - sentAt)
      bytes += length
      if (isError) errors++
      if (now < endAt) sendNext()
      else finish()
    })
    const buffer = Buffer.allocUnsafe(readBytes)
    const onread = {
      buffer,
      callback: (length: number): boolean => {
        try {
          reader.push(buffer.subarray(0, length))
        } catch (error) {
          fail(error as Error) // the reader throws nothing else
        }
        return true
      },
    }
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true, onread })
    sockets.push(socket)
    socket.on('error', (error) => fail(error))
    socket.on('close', () => fail(new Error('the server closed a connection')))
    await once(socket, 'connect')
    loops.push(
      () =>
        new Promise<void>((resolve, reject) => {
          finish = resolve
          fail = reject
          sendNext()
        }),
    )
  }
  const cpu = process.cpuUsage()
  startAt = performance.now()
  endAt = startAt + seconds * 1000
  try {
    await Promise.all(loops.map((loop) => loop()))
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').destroy()
  }
  const elapsed = (performance.now() - startAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const sorted = Float64Array.from(latencies).sort()
  return {
    requests: sorted.length,
    seconds: elapsed,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    p999Ms: percentile(sorted, 0.999),
    bytes: bytes / sorted.length,
    errors,
    cpuMs: (user + system) / 1000,
    generator: 'own',
  }
}
