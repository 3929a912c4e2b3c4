import { EventEmitter } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { DirectConnections } from './connections.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** The socket of a client that has not read so many bytes of its last answer. */
class SlowSocket extends EventEmitter {
  writableLength: number
  destroyed = false

  constructor(unread: number) {
    super()
    this.writableLength = unread
  }

  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
}

test('a server that stops closes the connection of a slow client as soon as it has read its response', () => {
  vi.useFakeTimers()
  const connections = new DirectConnections({ keepAliveMs: 60_000, headersMs: 0, timeoutMs: 60_000 }, {
    isServing: () => true,
  } as never) // nothing is asked
  const [slow, idle] = [new SlowSocket(1000), new SlowSocket(0)]
  for (const socket of [slow, idle]) connections.accept(socket as never) // what is used
  vi.advanceTimersByTime(1000)
  expect(idle.destroyed).toBe(false)
  connections.drain()
  expect(idle.destroyed).toBe(true)
  vi.advanceTimersByTime(1000)
  expect(slow.destroyed).toBe(false)
  slow.writableLength = 0
  vi.advanceTimersByTime(1000)
  expect(slow.destroyed).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
})
