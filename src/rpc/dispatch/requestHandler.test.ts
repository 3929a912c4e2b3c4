import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CallDispatcher } from './dispatcher.ts'
import { RequestHandler } from './requestHandler.ts'
import type { RequestScope } from './requestScope.ts'

/** Creates a dispatcher in which calls of `send` may overlap and those of `ask` may not. Each takes a few milliseconds. */
const createDispatcher = () => {
  const events: string[] = []
  const dispatcher: CallDispatcher = {
    overlaps: ({ method }) => method === 'send',
    dispatch: async ({ id, method }) => {
      events.push(`begin ${method} ${id}`)
      await sleep(id === '1' ? 20 : 5)
      events.push(`end ${method} ${id}`)
      return id ?? 'null'
    },
  }
  return { dispatcher, events }
}

const scope = {
  chargeBatch: () => {},
  isOver: false,
  reserve: () => true,
  reserveResponse: () => true,
} as unknown as RequestScope
const handleBatch = async (
  dispatcher: CallDispatcher,
  methods: readonly string[],
  batchResponseMaxSize = 1_000,
) => {
  const calls = methods.map((method, id) => ({ jsonrpc: '2.0', id: id + 1, method, params: [] }))
  const handler = new RequestHandler({ batchRequestLimit: 100, batchResponseMaxSize }, dispatcher)
  return JSON.parse(String(await handler.handle(JSON.stringify(calls), scope))) as {
    id: number
    result?: number
    error?: { code: number }
  }[]
}

test('calls of a batch that may overlap begin together and are answered in their order', async () => {
  const { dispatcher, events } = createDispatcher()
  const responses = await handleBatch(dispatcher, ['send', 'send', 'send'])
  expect(events.slice(0, 3)).toEqual(['begin send 1', 'begin send 2', 'begin send 3'])
  expect(responses.map(({ id, result }) => [id, result])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a call of another method begins when all before it have ended, and the next ones after it', async () => {
  const { dispatcher, events } = createDispatcher()
  await handleBatch(dispatcher, ['send', 'send', 'ask', 'ask', 'send'])
  expect(events).toEqual([
    ...['begin send 1', 'begin send 2', 'end send 2', 'end send 1'],
    ...['begin ask 3', 'end ask 3', 'begin ask 4', 'end ask 4', 'begin send 5', 'end send 5'],
  ])
})

test('the size of the answer is held to its limit among calls that overlap too', async () => {
  const { dispatcher } = createDispatcher()
  const responses = await handleBatch(dispatcher, ['send', 'send', 'send', 'send'], 80)
  expect(responses.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, -32003],
    [4, -32003],
  ])
})
