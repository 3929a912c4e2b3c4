import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { CallDispatcher } from './dispatcher.ts'
import { RequestHandler } from './requestHandler.ts'
import type { RequestScope } from './requestScope.ts'

/** Calls of `send` may be under way together, those of `ask` not; each takes a few milliseconds. */
const createRunner = () => {
  const events: string[] = []
  const runner: CallDispatcher = {
    overlaps: ({ method }) => method === 'send',
    dispatch: async ({ id, method }) => {
      events.push(`begin ${method} ${id}`)
      await sleep(id === '1' ? 20 : 5)
      events.push(`end ${method} ${id}`)
      return id ?? 'null'
    },
  }
  return { runner, events }
}

const scope = { chargeBatch: () => {}, isOver: false } as unknown as RequestScope
const answer = async (runner: CallDispatcher, methods: readonly string[], batchResponseMaxSize = 1_000) => {
  const calls = methods.map((method, id) => ({ jsonrpc: '2.0', id: id + 1, method, params: [] }))
  const answerer = new RequestHandler({ batchRequestLimit: 100, batchResponseMaxSize }, runner)
  return JSON.parse(String(await answerer.handle(JSON.stringify(calls), scope))) as {
    id: number
    result?: number
    error?: { code: number }
  }[]
}

test('calls of a batch that may overlap begin together and are answered in their order', async () => {
  const { runner, events } = createRunner()
  const answers = await answer(runner, ['send', 'send', 'send'])
  expect(events.slice(0, 3)).toEqual(['begin send 1', 'begin send 2', 'begin send 3'])
  expect(answers.map(({ id, result }) => [id, result])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a call of another method begins when all before it have ended, and the next ones after it', async () => {
  const { runner, events } = createRunner()
  await answer(runner, ['send', 'send', 'ask', 'ask', 'send'])
  expect(events).toEqual([
    ...['begin send 1', 'begin send 2', 'end send 2', 'end send 1'],
    ...['begin ask 3', 'end ask 3', 'begin ask 4', 'end ask 4', 'begin send 5', 'end send 5'],
  ])
})

test('the size of the answer is held to its limit among calls that overlap too', async () => {
  const { runner } = createRunner()
  const answers = await answer(runner, ['send', 'send', 'send', 'send'], 80)
  expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, -32003],
    [4, -32003],
  ])
})
