import { describe, expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import type { BlockNumberOrTag } from '../../chain/port/blockRef.ts'
import type { SubscriptionRequest } from '../../events/subscriptionManager.ts'
import { RpcError } from '../../rpc/errors.ts'
import { subscriptionMethods } from './subscriptions.ts'

const head = 9
/** Blocks from 5 on are whole; the headers of all are kept. */
const chain = fakeChain({
  head: (() => ({ number: head })) as never,
  retention: (() => ({ oldestBlock: 5 })) as never,
  blocks: {
    resolve: (ref) => {
      const { kind, ...rest } = ref as BlockNumberOrTag
      if (kind === 'number')
        return Number((rest as { number: bigint }).number) <= head
          ? Number((rest as { number: bigint }).number)
          : undefined
      const { tag } = rest as { tag: string }
      return tag === 'pending' ? 'pending' : tag === 'earliest' ? 0 : head
    },
  },
})

/** Returns the subscription request of a call, or its error. */
const requestOf = (kind: string, options?: unknown): SubscriptionRequest | RpcError => {
  let heard: SubscriptionRequest | undefined
  const subscribe = (_: unknown, request: SubscriptionRequest) => {
    heard = request
    return { id: '0x1', activate: () => {} }
  }
  const [eth_subscribe] = subscriptionMethods
  try {
    eth_subscribe?.handler(
      [kind, options],
      { chain, subscriptions: { subscribe } } as never,
      { connection: {}, caller: { address: '192.0.2.1' }, afterResponse: () => {} } as never,
    )
    return heard as SubscriptionRequest // subscribed, as nothing was thrown
  } catch (error) {
    return error as RpcError
  }
}

describe('a subscription from a block on', () => {
  test.each([
    ['newHeads', { fromBlock: '0x0' }, 0],
    ['newHeads', { fromBlock: 'earliest' }, 0],
    ['newHeads', { fromBlock: '0x5', includeTransactions: true }, 5],
    ['newHeads', { fromBlock: 'latest' }, 9],
    ['newHeads', { fromBlock: 'pending' }, undefined],
    ['newHeads', {}, undefined],
    ['newHeads', { fromBlock: '0xa', includeTransactions: true }, undefined],
    ['logs', { fromBlock: '0x9' }, 9],
    ['logs', { fromBlock: '0xa' }, undefined],
    ['logs', { toBlock: 'latest' }, undefined],
  ])('%s %j begins at %s', (kind, options, from) => {
    expect(requestOf(kind, options)).toMatchObject({ kind, from })
  })

  test.each([
    ['newHeads', { fromBlock: '0x4', includeTransactions: true }],
    ['logs', { fromBlock: 'earliest' }],
  ])('%s %j is pruned: the error names the earliest block that is kept', (kind, options) => {
    expect(requestOf(kind, options)).toMatchObject({
      code: -32002,
      message: expect.stringContaining('kept is 5'),
    })
  })

  test.each(['newHeads', 'logs'])(
    '%s from above the block after the head is an error that names it',
    (kind) => {
      const error = requestOf(kind, { fromBlock: '0xb' })
      expect(error).toBeInstanceOf(RpcError)
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('0xa') })
    },
  )
})
