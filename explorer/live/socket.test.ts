import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeadSocket } from './socket.ts'

/** A WebSocket whose other side is the test. */
class FakeSocket {
  static all: FakeSocket[] = []
  onopen?: () => void
  onmessage?: (event: { readonly data: string }) => void
  onclose?: () => void
  readonly sent: string[] = []
  isClosed = false

  constructor() {
    FakeSocket.all.push(this)
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.onclose?.()
  }

  receive(message: object): void {
    this.receiveText(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  receiveText(data: string): void {
    this.onmessage?.({ data })
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  FakeSocket.all = []
  vi.stubGlobal('WebSocket', FakeSocket)
  vi.stubGlobal('location', { href: 'http://node.example/#/' })
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const connect = () => {
  const events: unknown[] = []
  const heads = new HeadSocket({
    onOpen: () => events.push('open'),
    onHead: ({ number }) => events.push(number),
    onClose: (refusal) => events.push(['close', refusal]),
  })
  heads.start()
  const socket = FakeSocket.all[0] as FakeSocket
  socket.onopen?.()
  return { events, heads, socket }
}

test('a subscription that was confirmed is live, and heads follow', () => {
  const { events, heads, socket } = connect()
  expect(events).toEqual([])
  socket.receive({ id: 1, result: '0xabc', error: null })
  socket.receive({ method: 'eth_subscription', params: { result: { number: '0x5', hash: '0x' } } })
  expect(events).toEqual(['open', '0x5'])
  heads.stop()
})

test('a subscription that was rejected is not live: the socket is closed with the reason, and tried again later', () => {
  const { events, heads, socket } = connect()
  socket.receive({ id: 1, error: { code: -32005, message: 'too many subscriptions' } })
  expect(socket.isClosed).toBe(true)
  expect(events).toEqual([['close', 'too many subscriptions']])
  vi.advanceTimersByTime(20_000)
  expect(FakeSocket.all).toHaveLength(2)
  heads.stop()
})

test('a message that is neither a response nor a head says nothing, and a plain end has no reason', () => {
  const { events, heads, socket } = connect()
  socket.receive({ id: 1 })
  expect(events).toEqual([])
  socket.close()
  expect(events).toEqual([['close', undefined]])
  heads.stop()
})

test('a message that is not JSON-RPC is ignored', () => {
  const { events, heads, socket } = connect()
  for (const text of ['', '{', 'null', '[]', '7', '{"params":null}', '{"params":{"result":null}}'])
    socket.receiveText(text)
  expect(events).toEqual([])
  heads.stop()
})
