import { setImmediate as turn } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import type { ClientConnection } from '../../base/notification.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import { InternalErrors } from '../dispatch/internalErrors.ts'
import type { RequestHandler } from '../dispatch/requestHandler.ts'
import { MemoryBudget } from '../memoryBudget.ts'
import { RpcMetrics } from '../metrics.ts'
import { RpcConnection } from './rpcConnection.ts'

/** A connection whose bodies are answered at once with themselves. */
const createConnection = () => {
  const sent: string[] = []
  const state = { isPaused: false }
  const transport = {
    send: (response: unknown) => sent.push(String(response)) > 0,
    pause: () => {
      state.isPaused = true
    },
    resume: () => {
      state.isPaused = false
    },
  }
  const metrics = new RpcMetrics(new Registry())
  const budget = new MemoryBudget(10_000_000)
  const connection = new RpcConnection(
    {
      caller: { transport: 'ws', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 },
      timeoutMs: 10_000,
      transport,
      client: {} as ClientConnection, // nothing is pushed here
    },
    {
      requestHandler: { handle: (text: string) => text } as unknown as RequestHandler,
      rateLimiter: new RateLimiter(0, 0),
      metrics,
      internalErrors: new InternalErrors({ metrics, log: undefined as never }), // nothing is thrown
      budget,
    },
  )
  return { connection, sent, state, budget }
}

const texts = Array.from({ length: 1000 }, (_, at) => `${at}`)

test('a chunk of thousands of bodies lets others in between, and all are answered in order', async () => {
  const { connection, sent, state, budget } = createConnection()
  for (const text of texts) connection.receive(text)
  expect({ sent: sent.length, isPaused: state.isPaused }).toEqual({ sent: 64, isPaused: true })
  const other = createConnection()
  other.connection.receive('other')
  expect(other.sent).toEqual(['other'])
  let turns = 0
  while (sent.length < texts.length) {
    const before = sent.length
    await turn()
    turns++
    expect(sent.length - before).toBeLessThanOrEqual(64)
  }
  expect(turns).toBeGreaterThanOrEqual(15)
  expect(sent).toEqual(texts)
  expect({ isPaused: state.isPaused, used: budget.used }).toEqual({ isPaused: false, used: 0 })
})

test('who sends a few in each turn is never held up', async () => {
  const { connection, sent, state } = createConnection()
  for (let turns = 1; turns <= 5; turns++) {
    for (const text of texts.slice(0, 60)) connection.receive(text)
    expect({ sent: sent.length, isPaused: state.isPaused }).toEqual({ sent: turns * 60, isPaused: false })
    await turn()
  }
})

test('what is left of a chunk is dropped with its connection', async () => {
  const { connection, sent, state, budget } = createConnection()
  for (const text of texts) connection.receive(text)
  connection.close()
  await turn()
  await turn()
  expect({ sent: sent.length, isPaused: state.isPaused, used: budget.used }).toEqual({
    sent: 64,
    isPaused: false,
    used: 0,
  })
})

test('the text of a long message is read in slices, and the client is not read meanwhile', async () => {
  const { connection, sent, state, budget } = createConnection()
  const long = 'é'.repeat(1_000_000)
  connection.receiveBytes(Buffer.from(long))
  expect({ sent: sent.length, isPaused: state.isPaused, used: budget.used }).toEqual({
    sent: 0,
    isPaused: true,
    used: 2_000_000,
  })
  while (sent.length === 0) await turn()
  expect(sent[0]).toBe(long)
  expect({ isPaused: state.isPaused, used: budget.used }).toEqual({ isPaused: false, used: 0 })
  connection.receiveBytes(Buffer.from('é'))
  expect(sent[1]).toBe('é')
})

test('a long message whose client leaves meanwhile is not run and gives its memory back', async () => {
  const { connection, sent, budget } = createConnection()
  connection.receiveBytes(Buffer.from('é'.repeat(1_000_000)))
  connection.close()
  while (budget.used > 0) await turn()
  expect(sent).toEqual([])
})
