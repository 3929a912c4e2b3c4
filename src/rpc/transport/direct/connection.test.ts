import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { TimeSlice } from '../../../base/threads/timeSlice.ts'
import { MemoryBudget } from '../../memoryBudget.ts'
import { DirectConnections } from './connections.ts'
import type { DirectExchange } from './exchange.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** A client that reads all at once. */
class FakeSocket extends EventEmitter {
  writableLength = 0
  writableNeedDrain = false
  destroyed = false
  isPaused = false
  written = ''

  write(text: string): boolean {
    this.written += text
    return true
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  setTimeout(): void {}
}

const scope = { release: () => {} }

/** Connections whose requests are answered at once with their bodies. */
const createConnections = () => {
  const budget = new MemoryBudget(10_000_000)
  const served: string[] = []
  const connections = new DirectConnections(
    { keepAliveMs: 60_000, headersMs: 60_000, timeoutMs: 60_000 },
    {
      budget,
      unreadResponses: undefined as never, // all is read
      internalErrors: undefined as never, // nothing is thrown
      isServing: () => true,
      serve: (exchange: DirectExchange) => {
        const body = exchange.readText()
        served.push(body)
        exchange.answer(body, body.length, scope as never) // only released
      },
      toNode: () => {
        throw new Error('left to Node')
      },
    },
  )
  return { connections, served, budget }
}

/** Accepts a connection and waits until no other one can have come with it. */
const accept = async (connections: DirectConnections): Promise<FakeSocket> => {
  const socket = new FakeSocket()
  connections.accept(socket as never) // what is used
  for (let turns = 0; turns < 2; turns++) await turn()
  return socket
}

const post = (body: string): string =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('hundreds of requests that come at once let others in between, and all are answered in order', async () => {
  const { connections, served, budget } = createConnections()
  const [socket, other] = [await accept(connections), await accept(connections)]
  const bodies = Array.from({ length: 600 }, (_, at) => `${at}`)
  const bytes = Buffer.from(bodies.map(post).join(''))
  // Several chunks before the loop goes on, the first of which ends within a request.
  const middle = Math.floor(bytes.length / 3)
  socket.emit('data', bytes.subarray(0, middle))
  socket.emit('data', bytes.subarray(middle))
  expect({ served: served.length, isPaused: socket.isPaused }).toEqual({ served: 64, isPaused: true })
  other.emit('data', Buffer.from(post('other')))
  expect(other.written).toMatch(/other$/)
  for (let turns = 0; turns < 60 && served.length < 601; turns++) {
    const before = served.length
    await turn()
    expect(served.length - before).toBeLessThanOrEqual(64)
  }
  expect(served.filter((body) => body !== 'other')).toEqual(bodies)
  expect(socket.written.match(/HTTP\/1\.1 200/g)).toHaveLength(600)
  await turn()
  expect({ isPaused: socket.isPaused, used: budget.used }).toEqual({ isPaused: false, used: 0 })
  for (const open of [socket, other]) open.emit('close')
})

test('a client that waits for each long answer does not wait behind sliced work, one that sends ahead does', async () => {
  const { connections, served } = createConnections()
  const socket = await accept(connections)
  const long = post('x'.repeat(70_000))
  // Others that wait for their turn.
  const others = Array.from({ length: 10 }, () => TimeSlice.turn())
  for (let asked = 1; asked <= 3; asked++) {
    socket.emit('data', Buffer.from(long))
    expect(served).toHaveLength(asked)
  }
  socket.emit('data', Buffer.from(long + long))
  expect(served).toHaveLength(4)
  await Promise.all(others)
  expect(served).toHaveLength(4)
  await TimeSlice.turn()
  expect(served).toHaveLength(5)
  socket.emit('close')
})

test('requests that come whole in many chunks of one turn count together', async () => {
  const { connections, served } = createConnections()
  const socket = await accept(connections)
  for (let chunk = 0; chunk < 64; chunk++) socket.emit('data', Buffer.from(post('alone')))
  socket.emit('data', Buffer.from(post('one more').repeat(2)))
  expect(served).toHaveLength(65)
  socket.emit('close')
})

test('requests wait while connections arrive, one in each turn, and never for long', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const { connections, served } = createConnections()
  const first = await accept(connections)
  const arrived: FakeSocket[] = []
  const arrive = (): void => {
    const socket = new FakeSocket()
    arrived.push(socket)
    connections.accept(socket as never) // what is used
    socket.emit('data', Buffer.from(post(`${arrived.length}`)))
  }
  arrive()
  first.emit('data', Buffer.from(post('first')))
  await turn()
  arrive()
  await turn()
  expect({ served, isPaused: first.isPaused }).toEqual({ served: [], isPaused: true })
  await turn()
  // In the order in which they came, and as soon as a turn has brought no connection.
  expect({ served, isPaused: first.isPaused }).toEqual({ served: ['1', 'first', '2'], isPaused: false })
  arrive()
  first.emit('data', Buffer.from(post('later')))
  // However many more arrive.
  for (let turns = 0; turns < 3; turns++) {
    arrive()
    await turn()
  }
  expect(served).not.toContain('later')
  vi.advanceTimersByTime(2)
  arrive()
  await turn()
  expect(served).toContain('later')
  for (const open of [first, ...arrived]) open.emit('close')
})
