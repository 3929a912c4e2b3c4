import { expect, test } from 'vitest'
import type { ApiContext } from '../../api/context.ts'
import { methods } from '../../api/methods.ts'
import { failElsewhere } from '../../node/reading/elsewhere.ts'
import { callFailed } from '../../rpc/errors.ts'
import type { CallScope, Method } from '../../rpc/method.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { toServingMethods } from './servingMethods.ts'

test('nothing that a serving process answers writes, signs or is for operators', () => {
  const local = methods.filter(({ answeredBy = 'main' }) => answeredBy !== 'main')
  expect(local.length).toBeGreaterThan(70)
  expect(local.filter(({ work }) => work === 'write')).toEqual([])
  expect(local.filter(({ access }) => access === 'signing' || access === 'dev')).toEqual([])
})

const setUp = (handler: Method<ApiContext>['handler'], mayAnswer = true, name = 'eth_chainId') => {
  const [found] = methods.filter((method) => method.name === name) as [Method<ApiContext>]
  const forwarded: string[] = []
  const [method] = toServingMethods([{ ...found, handler }], {
    follow: () => mayAnswer,
    forward: async (name) => {
      forwarded.push(name)
      return new RawJson(Buffer.from('"main"'))
    },
  }) as [Method<ApiContext>]
  const scope = { connection: {} } as CallScope
  const call = (args: readonly unknown[] = []) => method.handler(args, {} as ApiContext, scope, args)
  return { call, forwarded }
}

test('a local method is answered here', () => {
  const { call, forwarded } = setUp(() => 1n)
  expect(call()).toBe(1n)
  expect(forwarded).toEqual([])
})

test.each([
  ['throws', failElsewhere],
  ['rejects', async () => failElsewhere()],
])('one that %s for what only the main process knows is passed on', async (_, handler) => {
  const { call, forwarded } = setUp(handler)
  expect(await call()).toBeInstanceOf(RawJson)
  expect(forwarded).toEqual(['eth_chainId'])
})

test.each([
  { kind: 'newHeads', mayAnswer: true, passedOn: [] },
  { kind: 'newHeads', mayAnswer: false, passedOn: ['eth_subscribe'] },
  { kind: 'newPendingTransactions', mayAnswer: true, passedOn: ['eth_subscribe'] },
])('a subscription to $kind is where it is fed', async ({ kind, mayAnswer, passedOn }) => {
  const { call, forwarded } = setUp(() => 1n, mayAnswer, 'eth_subscribe')
  await call([kind])
  expect(forwarded).toEqual(passedOn)
})

test('a subscription is ended where it is, also while blocks are removed', async () => {
  const refuse = () => {
    throw callFailed('subscription not found')
  }
  const known = setUp(() => true, false, 'eth_unsubscribe')
  expect(known.call([1n])).toBe(true)
  expect(known.forwarded).toEqual([])
  const unknown = setUp(refuse, true, 'eth_unsubscribe')
  await unknown.call([1n])
  expect(unknown.forwarded).toEqual(['eth_unsubscribe'])
})

test('while blocks are removed everything is passed on', async () => {
  const { call, forwarded } = setUp(() => 1n, false)
  await call()
  expect(forwarded).toEqual(['eth_chainId'])
})
