import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { heldBy } from '../../../test/support/heldBySignal.ts'
import { QueryAccountResponseSchema } from '../../cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import { ExternalTransactions } from './externalTransactions.ts'
import { SenderAccounts } from './senderAccounts.ts'

test('the signal that ends all sending keeps nothing of queries that have ended', async () => {
  const closing = new AbortController().signal
  const account = toBinary(QueryAccountResponseSchema, create(QueryAccountResponseSchema, { balance: '7' }))
  let most = 0
  const accounts = new SenderAccounts(
    { evmPackage: 'cosmos.evm.vm.v1', timeoutMs: 60_000, maxKnown: 10, maxConcurrent: 2 },
    {
      queries: {
        query: async () => {
          most = Math.max(most, heldBy(closing))
          return account
        },
      },
      height: () => 1,
      isFollowed: () => false,
      closing,
    },
  )
  for (let i = 0; i < 10; i++) expect((await accounts.readNewest(new Uint8Array(20))).balance).toBe(7n)
  expect({ most, left: heldBy(closing) }).toEqual({ most: 1, left: 0 })
})

test('nor of readings of a mempool', async () => {
  const closing = new AbortController().signal
  let readings = 0
  const external = new ExternalTransactions({
    pool: { events: { on: () => () => undefined } } as unknown as TransactionPool, // what is used
    unconfirmed: async () => {
      readings++
      return []
    },
    admit: () => Promise.reject(new Error('nothing is shown')),
    onLocalSeen: () => undefined,
    now: Date.now,
  })
  for (let i = 0; i < 10; i++) await external.refresh(0, closing)
  expect({ readings, left: heldBy(closing) }).toEqual({ readings: 10, left: 0 })
})
