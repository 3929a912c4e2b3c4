import { expect, test } from 'vitest'
import type { ApiContext } from '../../api/context.ts'
import { methods } from '../../api/methods.ts'
import { failElsewhere } from '../../node/reading/elsewhere.ts'
import type { CallScope, Method } from '../../rpc/method.ts'
import { RawJson } from '../../rpc/rawJson.ts'
import { localMethods, toServingMethods } from './localMethods.ts'

test('every local method is in the table', () => {
  const known = new Set(methods.map(({ name }) => name))
  expect([...localMethods].filter((name) => !known.has(name))).toEqual([])
})

test('nothing local writes, signs or is for operators', () => {
  const local = methods.filter(({ name }) => localMethods.has(name))
  expect(local.filter(({ work }) => work === 'write')).toEqual([])
  expect(local.filter(({ access }) => access === 'signing' || access === 'dev')).toEqual([])
})

const setUp = (handler: Method<ApiContext>['handler'], mayAnswer = true) => {
  const [chainId] = methods.filter(({ name }) => name === 'eth_chainId') as [Method<ApiContext>]
  const forwarded: string[] = []
  const [method] = toServingMethods([{ ...chainId, handler }], {
    follow: () => mayAnswer,
    forward: async (name) => {
      forwarded.push(name)
      return new RawJson(Buffer.from('"main"'))
    },
    onSubscribed: () => {},
  }) as [Method<ApiContext>]
  const call = () => method.handler([], {} as ApiContext, {} as CallScope, [])
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
  { mayAnswer: true, registered: 1, passedOn: [] },
  { mayAnswer: false, registered: 0, passedOn: ['eth_subscribe'] },
])(
  'a connection counts as a subscriber where its subscription is',
  async ({ mayAnswer, registered, passedOn }) => {
    const [subscribe] = methods.filter(({ name }) => name === 'eth_subscribe') as [Method<ApiContext>]
    const connection = {}
    const subscribers = new Set<unknown>()
    const forwarded: string[] = []
    const [method] = toServingMethods([{ ...subscribe, handler: () => 1n }], {
      follow: () => mayAnswer,
      forward: async (name) => {
        forwarded.push(name)
        return new RawJson(Buffer.from('"0x1"'))
      },
      onSubscribed: (subscriber) => subscribers.add(subscriber),
    }) as [Method<ApiContext>]
    await method.handler(['newHeads'], {} as ApiContext, { connection } as CallScope, ['newHeads'])
    expect(subscribers.size).toBe(registered)
    expect(forwarded).toEqual(passedOn)
  },
)

test('while blocks are removed everything is passed on', async () => {
  const { call, forwarded } = setUp(() => 1n, false)
  await call()
  expect(forwarded).toEqual(['eth_chainId'])
})
