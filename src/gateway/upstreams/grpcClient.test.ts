import { once } from 'node:events'
import { createServer, type ServerHttp2Stream } from 'node:http2'
import { type AddressInfo, createServer as createSocketServer } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { GrpcClient, windowBytes } from './grpcClient.ts'

const timeoutMs = 60_000
const nothing = new Uint8Array()

let server: ReturnType<typeof createServer>
let client: GrpcClient
let streams: Map<string, ServerHttp2Stream>
let sessions: number

beforeEach(async () => {
  server = createServer()
  streams = new Map()
  sessions = 0
  server.on('session', () => sessions++)
  server.on('stream', (stream, headers) => {
    stream.on('error', () => stream.destroy())
    stream.resume()
    streams.set(String(headers[':path']), stream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  client = new GrpcClient(`127.0.0.1:${(server.address() as AddressInfo).port}`, { maxReplyBytes: 1_000 })
})
afterEach(async () => {
  client.close()
  server.close()
})

const answer = (path: string): void => {
  const stream = streams.get(path)
  stream?.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream?.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream?.end(Buffer.from([0, 0, 0, 0, 1, 7]))
}

/** Calls a method that is not answered yet, some time after anything was heard. */
const begin = async (
  path: string,
  options: { readonly signal?: AbortSignal; readonly timeoutMs: number },
): Promise<{ readonly outcome: Promise<unknown> }> => {
  const began = Date.now()
  await eventually(() => Date.now() > began + 1)
  const outcome = client.call(path, nothing, undefined, options).catch((error: Error) => error.message)
  await eventually(() => streams.has(path))
  return { outcome }
}

test('a caller that leaves does not end the calls of others', async () => {
  const slow = await begin('/slow', { timeoutMs })
  const leaving = new AbortController()
  const left = await begin('/left', { timeoutMs, signal: leaving.signal })
  leaving.abort()
  expect(await left.outcome).toBe('the caller has gone away')
  answer('/slow')
  expect(await slow.outcome).toEqual(Uint8Array.of(7))
  expect(sessions).toBe(1)
})

test('a line on which nothing was heard in the time of a call is left', async () => {
  const first = await begin('/first', { timeoutMs })
  answer('/first')
  await first.outcome
  const heard = Date.now()
  await eventually(() => Date.now() > heard + 1)
  await expect(client.call('/hanging', nothing, undefined, { timeoutMs: 20 })).rejects.toThrow(
    'no response within 20 ms',
  )
  const next = await begin('/next', { timeoutMs })
  answer('/next')
  expect(await next.outcome).toEqual(Uint8Array.of(7))
  expect(sessions).toBe(2)
})

test('a server may send megabytes before it hears that they were read', async () => {
  const settings = new Promise<number | undefined>((resolve) =>
    server.once('session', (session) =>
      session.once('remoteSettings', ({ initialWindowSize }) => resolve(initialWindowSize)),
    ),
  )
  const first = await begin('/first', { timeoutMs })
  const session = streams.get('/first')?.session
  answer('/first')
  await first.outcome
  expect(await settings).toBe(windowBytes.stream)
  await eventually(() => (session?.state.remoteWindowSize ?? 0) > windowBytes.session - 1_000)
})

/** Runs `work` and expects that it leaves no exception that nobody catches. */
const expectNothingUncaught = async (work: () => Promise<void>): Promise<void> => {
  const uncaught: Error[] = []
  const note = (error: Error): void => void uncaught.push(error)
  process.on('uncaughtException', note)
  try {
    await work()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(uncaught).toEqual([])
  } finally {
    process.off('uncaughtException', note)
  }
}

test('a line that is left before it is open ends the call and nothing else', () =>
  expectNothingUncaught(async () => {
    const outcome = client.call('/early', nothing, undefined, { timeoutMs })
    client.close()
    await expect(outcome).rejects.toThrow('canceled')
  }))

test('a server that pushes a response and then goes away ends the call and nothing else', async () => {
  const frame = (type: number, streamId: number, payload: readonly number[]): Buffer =>
    Buffer.from([0, 0, payload.length, type, type === pushPromise ? 4 : 0, 0, 0, 0, streamId, ...payload])
  const [settings, pushPromise, goAway] = [4, 5, 7]
  /** GET / over http at "a", in HPACK. */
  const promised = [0, 0, 0, 2, 0x82, 0x84, 0x86, 0x41, 1, 0x61]
  const internalError = [0, 0, 0, 1, 0, 0, 0, 2]
  const liar = createSocketServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(frame(settings, 0, []))
    // The call is on the first stream. Its path makes it longer than all that comes before it.
    socket.on('data', () => {
      if (socket.bytesRead > 200)
        socket.end(Buffer.concat([frame(pushPromise, 1, promised), frame(goAway, 0, internalError)]))
    })
  })
  liar.listen(0, '127.0.0.1')
  await once(liar, 'listening')
  const asking = new GrpcClient(`127.0.0.1:${(liar.address() as AddressInfo).port}`, { maxReplyBytes: 1_000 })
  await expectNothingUncaught(() =>
    expect(asking.call(`/${'x'.repeat(400)}`, nothing, undefined, { timeoutMs })).rejects.toThrow(),
  )
  asking.close()
  liar.close()
})
