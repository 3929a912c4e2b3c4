import { beforeEach, describe, expect, test } from 'vitest'
import { address, coin, createSubmission, dynamicFee, gwei, testHead } from '../../../test/support/pool.ts'
import { TransactionPool } from '../../pool/pool.ts'
import { defaultPoolSettings } from '../../pool/types.ts'
import type { SenderAccount } from './senderAccounts.ts'
import { SettledAccounts } from './settledAccounts.ts'

const account = { nonce: 0n, balance: coin, codeKind: 'none' } as const
const sender = address(1)

/** What is read of the account of the sender. */
let read: SenderAccount
let pool: TransactionPool
let settled: SettledAccounts
beforeEach(() => {
  read = account
  settled = new SettledAccounts(
    { refusalMs: 60_000, seenCacheMs: 1_000 },
    {
      accounts: { get: (of) => (of === sender ? read : account), heightOf: () => 1 },
      pool: () => pool,
      locateBySender: () => undefined,
      now: () => 0,
    },
  )
  pool = new TransactionPool(
    { ...defaultPoolSettings, keepsUnpayable: false, globalSlots: 1, accountSlots: 1 },
    {
      state: settled,
      head: testHead,
      blobs: { accepted: false, rejection: 'none' },
      now: () => 0,
      onListenerError: (error) => {
        throw error
      },
    },
  )
})

const send = (from: number, price: bigint, isLocal: boolean, value = 0n): void => {
  const fields = { nonce: 0n, maxFeePerGas: price * gwei, maxPriorityFeePerGas: (price * gwei) / 10n, value }
  const signers = { sender: address(from), authorities: [] }
  const { rejection } = pool.add(createSubmission(dynamicFee(fields), from), signers, isLocal)
  expect(rejection).toBeUndefined()
}

test('an account that would cost what came meanwhile is not put back', () => {
  send(1, 10n, true, coin / 2n)
  expect(settled.replace(sender, { ...account, balance: coin / 4n })).toBe(false)
  expect(settled.balance(sender)).toBe(coin)
  expect(settled.replace(sender, { ...account, balance: (3n * coin) / 4n })).toBe(true)
  expect(settled.balance(sender)).toBe((3n * coin) / 4n)
})

describe.each([false, true])('what was acknowledged (parked: %s)', (isParked) => {
  const lies: readonly (readonly [string, SenderAccount])[] = [
    ['nonce is used', { ...account, nonce: 1n }],
    ['address has code', { ...account, codeKind: 'contract' }],
  ]

  test.each(lies)('is kept though a node says that its %s', (_, told) => {
    send(1, 10n, true)
    if (isParked) send(2, 50n, false)
    expect(pool.parkedCount).toBe(isParked ? 1 : 0)
    read = told
    expect(settled.doubted([sender])).toEqual([sender])
    settled.settle([sender], 1)
    pool.onHead({ ...testHead, number: 2n }, { included: [], changed: [sender] })
    expect([...pool.pendingOf(sender), ...pool.queuedOf(sender)]).toHaveLength(1)
  })
})
