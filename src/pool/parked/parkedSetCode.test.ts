import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openJournaledPool } from '../../../test/support/journaledPool.ts'
import { address, createTestPool, dynamicFee, gwei } from '../../../test/support/pool.ts'
import { toBigInt } from '../../base/encoding/bytes.ts'
import { encodeTransaction } from '../../chain/transaction/encode.ts'
import { recoverAuthority, signAuthorization } from '../../chain/transaction/signature.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'

/** Acknowledged set-code transactions (EIP-7702) that are parked, and parked transactions of their authorities. */

const setCode = (nonce: number, tip = 1) => ({
  ...dynamicFee({ nonce: BigInt(nonce), gasLimit: 100_000n, maxPriorityFeePerGas: BigInt(tip) * gwei }),
  type: 4 as const,
  to: address(999),
  authorizations: [{ chainId: 0n, address: address(5), nonce: 0n, yParity: 0, r: 1n, s: 1n }],
})

/** A full pool in which a set-code transaction of account 2 for account 1 is parked. */
const parkSetCode = () => {
  const test = createTestPool({ settings: { globalSlots: 3, accountSlots: 1 } })
  const { pool, state, transfer, send } = test
  const plain = send(2, dynamicFee(), true).transaction
  const parked = send(2, setCode(1), true, [1]).transaction
  if (plain === undefined || parked === undefined) throw new Error('refused')
  for (const sender of [3, 4]) transfer(sender, 0, 20, 5)
  expect(pool.isParked(parked)).toBe(true)
  const mine = (...senders: number[]): void => {
    const included = senders.flatMap((sender) => pool.pendingOf(address(sender)).slice(0, 1))
    for (const { sender } of included) state.at(sender).nonce++
    pool.onHead(pool.head, {
      included: included.map(({ hash }) => hash),
      changed: included.map(({ sender }) => sender),
    })
  }
  return { ...test, parked, mine }
}

describe('a parked set-code transaction', () => {
  it('reserves no authority, and does so again when it is back', () => {
    const { pool, parked, mine, transfer } = parkSetCode()
    mine(3, 4)
    expect(pool.isPending(parked)).toBe(true)
    expect(transfer(1, 0).rejection).toBeUndefined()
    expect(transfer(1, 1).rejection?.kind).toBe('delegatedInFlight')
    mine(2, 1)
    mine(2)
    // It is in a block: nobody is an authority any more.
    for (const nonce of [1, 2]) expect(transfer(1, nonce).rejection).toBeUndefined()
  })

  it('comes back although its authority has several transactions by now', () => {
    const { pool, state, send, transfer, pending } = createTestPool()
    const { transaction } = send(2, setCode(0), true, [1])
    state.at(address(2)).balance = 0n
    pool.onHead(pool.head, { included: [], changed: [address(2)] })
    expect(transaction && pool.isParked(transaction)).toBe(true)
    for (const nonce of [0, 1, 2]) expect(transfer(1, nonce).rejection).toBeUndefined()
    state.at(address(2)).balance = 10n ** 18n
    pool.onHead(pool.head, { included: [], changed: [address(2)] })
    expect([pending(1), pending(2)]).toEqual([[0, 1, 2], [0]])
    expect(transfer(1, 3).rejection?.kind).toBe('delegatedInFlight')
  })

  it('control: a new one is rejected there', () => {
    const { send, transfer } = createTestPool()
    for (const nonce of [0, 1]) transfer(1, nonce)
    expect(send(2, setCode(0), true, [1]).rejection?.kind).toBe('authorityReserved')
  })
})

describe('parked transactions of an account with a delegation', () => {
  it('come back one after the other', () => {
    const { pool, state, send, pending, queued } = createTestPool()
    const account = state.at(address(1))
    for (const nonce of [0n, 1n, 2n]) send(1, dynamicFee({ nonce }), true)
    account.balance = 0n
    pool.onHead(pool.head, { included: [], changed: [address(1)] })
    Object.assign(account, { balance: 10n ** 18n, codeKind: 'delegation' })
    for (const nonce of [0, 1, 2]) {
      pool.onHead(pool.head, { included: [], changed: [address(1)] })
      expect([pending(1), queued(1)]).toEqual([[nonce], [0, 1, 2].slice(nonce + 1)])
      const [first] = pool.pendingOf(address(1))
      account.nonce++
      pool.onHead(pool.head, { included: first ? [first.hash] : [], changed: [address(1)] })
    }
    expect(pool.counts).toEqual({ pending: 0, queued: 0 })
  })
})

describe('a restart', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parked-set-code-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const authorization = signAuthorization(
    { chainId: 0n, address: address(5), nonce: 0n },
    new Uint8Array(32).fill(8),
  )
  const authority = recoverAuthority(authorization) as Uint8Array // it is signed

  const stated = (fields: object, sender: Uint8Array): Uint8Array =>
    encodeTransaction({ ...fields, signature: { yParity: 0, r: toBigInt(sender), s: 0n } } as Transaction)

  const sendSetCode = ({ submit }: ReturnType<typeof openJournaledPool>, authorizations: number) =>
    submit(
      stated(
        { ...setCode(0), gasLimit: 1_000_000n, authorizations: Array(authorizations).fill(authorization) },
        address(2),
      ),
      true,
      true,
    )

  const sendOfAuthority = ({ submit }: ReturnType<typeof openJournaledPool>, nonce: bigint) =>
    submit(stated(dynamicFee({ nonce }), authority), true, true)

  it.each([1, 20])('has the authorities of %i authorizations reserved', async (count) => {
    expect((await sendSetCode(openJournaledPool(folder), count)).rejection).toBeUndefined()
    const next = openJournaledPool(folder)
    expect(await next.submitter.restore()).toMatchObject({ restored: 1, parked: 0, skipped: 0 })
    expect((await sendOfAuthority(next, 0n)).rejection).toBeUndefined()
    expect((await sendOfAuthority(next, 1n)).rejection?.kind).toBe('delegatedInFlight')
  })

  it('reverts the set-code transaction behind those that its authority sent while it was parked', async () => {
    const first = openJournaledPool(folder)
    expect((await sendOfAuthority(first, 0n)).rejection).toBeUndefined()
    const { transaction } = await sendSetCode(first, 1)
    // It must leave for want of funds.
    first.state.at(address(2)).balance = 0n
    first.pool.onHead(first.pool.head, { included: [], changed: [address(2)] })
    expect(transaction && first.pool.isParked(transaction)).toBe(true)
    for (const nonce of [1n, 2n]) expect((await sendOfAuthority(first, nonce)).rejection).toBeUndefined()
    const next = openJournaledPool(folder)
    expect(await next.submitter.restore()).toMatchObject({ restored: 4, parked: 0, skipped: 0 })
    expect(next.pool.pendingOf(authority)).toHaveLength(3)
    expect(next.pending(2)).toEqual([0])
  })
})

describe('whatever happens in between', () => {
  const someone = fc.integer({ min: 1, max: 4 })
  const send = fc.record({
    op: fc.constant('send' as const),
    sender: someone,
    ahead: fc.integer({ min: 0, max: 3 }),
    tip: fc.integer({ min: 1, max: 9 }),
    authorities: fc.array(someone, { maxLength: 2 }),
    isLocal: fc.boolean(),
  })
  const other = fc.record({
    op: fc.constantFrom(
      'mine' as const,
      'funds' as const,
      'poor' as const,
      'remove' as const,
      'reset' as const,
    ),
    sender: someone,
  })

  it('an authority is free when no set-code transaction for it is pending or queued', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(send, other), { maxLength: 60 }), (operations) => {
        const test = createTestPool({ settings: { globalSlots: 4, accountSlots: 1, globalQueue: 3 } })
        const { pool, state } = test
        for (const operation of operations) {
          const { op, sender } = operation
          const account = state.at(address(sender))
          const [first] = pool.pendingOf(address(sender))
          if (op === 'send') {
            const { ahead, tip, authorities, isLocal } = operation
            const nonce = Number(account.nonce) + ahead
            const fields = authorities.length > 0 ? setCode(nonce, tip) : dynamicFee({ nonce: BigInt(nonce) })
            test.send(sender, fields, isLocal, authorities)
          } else if (op === 'remove') pool.remove(first?.hash ?? new Uint8Array(32))
          else if (op === 'reset') pool.reset(pool.head, [])
          else {
            if (op === 'mine' && first !== undefined) account.nonce++
            if (op !== 'mine') account.balance = op === 'poor' ? 0n : 10n ** 18n
            const included = op === 'mine' && first !== undefined ? [first.hash] : []
            pool.onHead(pool.head, { included, changed: [address(sender)] })
          }
        }
        for (const tx of [...pool.transactions()]) if (!pool.isParked(tx)) pool.takeOut([tx])
        for (const tx of [...pool.transactions()]) pool.takeOut([tx])
        for (const sender of [1, 2, 3, 4]) {
          const account = state.at(address(sender))
          account.balance = 10n ** 18n
          pool.onHead(pool.head, { included: [], changed: [address(sender)] })
          const next = Number(account.nonce)
          for (const nonce of [next, next + 1]) expect(test.transfer(sender, nonce).rejection).toBeUndefined()
          pool.clear()
        }
      }),
      { numRuns: 300 },
    )
  })
})
