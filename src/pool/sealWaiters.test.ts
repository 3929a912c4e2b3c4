import { describe, expect, test } from 'vitest'
import { address, createTestPool, gwei, testHead } from '../../test/support/pool.ts'
import type { BlockPrices } from './order/prices.ts'
import { SealWaiters } from './sealWaiters.ts'
import type { AddResult, PoolTransaction } from './types.ts'

/** A pool with waiters, and the nonces of those whose wait has ended. */
const createWaiters = () => {
  const test = createTestPool()
  const facts = { isInstantSeal: true, prices: {} as Partial<BlockPrices>, ended: [] as number[] }
  const waiters = new SealWaiters({
    pool: test.pool,
    isNext: (transaction) => facts.isInstantSeal && test.pool.isIncludable(transaction, facts.prices),
  })
  const added = ({ transaction }: AddResult): PoolTransaction => {
    if (transaction === undefined) throw new Error('refused')
    return transaction
  }
  /** Waits for a transaction; the end of the wait is in `ended`. */
  const wait = (result: AddResult): PoolTransaction => {
    const transaction = added(result)
    void waiters.wait(transaction).then(() => facts.ended.push(Number(transaction.transaction.nonce)))
    return transaction
  }
  const ended = async (): Promise<number[]> => {
    await new Promise((resolve) => setImmediate(resolve))
    return facts.ended
  }
  return { ...test, waiters, facts, wait, ended }
}

describe('a client waits', () => {
  test('for the block that holds its transaction', async () => {
    const { transfer, wait, ended, pool, state } = createWaiters()
    const { hash } = wait(transfer(1, 0))
    expect(await ended()).toEqual([])
    state.at(address(1)).nonce = 1n
    pool.onHead(testHead, { included: [hash], changed: [address(1)] })
    expect(await ended()).toEqual([0])
  })

  test('and for a block after that, while it pays', async () => {
    const { transfer, wait, ended, pool } = createWaiters()
    wait(transfer(1, 0))
    pool.onHead({ ...testHead, number: 2n }, { included: [], changed: [] })
    expect(await ended()).toEqual([])
  })
})

describe('a client does not wait', () => {
  test.each([
    ['less than the base fee', 0, {}],
    ['less than the least tip', 10, { minTip: 2n * gwei }],
  ])('for a transaction that pays %s', async (_, feeCap, prices) => {
    const { transfer, wait, ended, facts } = createWaiters()
    facts.prices = prices
    wait(transfer(1, 0, feeCap, feeCap === 0 ? 0 : 1))
    expect(await ended()).toEqual([0])
  })

  test('for one after a gap, or after one that pays too little', async () => {
    const { transfer, wait, ended } = createWaiters()
    wait(transfer(1, 1))
    transfer(2, 0, 0, 0)
    wait(transfer(2, 1))
    expect(await ended()).toEqual([1, 1])
  })

  test('where blocks come at an interval, or not at all', async () => {
    const { transfer, wait, ended, facts } = createWaiters()
    facts.isInstantSeal = false
    wait(transfer(1, 0))
    expect(await ended()).toEqual([0])
  })
})

describe('a wait ends', () => {
  test('with a head whose base fee the transaction does not pay', async () => {
    const { transfer, wait, ended, pool } = createWaiters()
    wait(transfer(1, 0, 2))
    wait(transfer(2, 0, 9))
    pool.onHead({ ...testHead, baseFee: 3n * gwei }, { included: [], changed: [] })
    expect(await ended()).toEqual([0])
  })

  test('with a replacement, which is waited for instead', async () => {
    const { transfer, wait, ended, pool, state } = createWaiters()
    wait(transfer(1, 0, 10))
    const { hash } = wait(transfer(1, 0, 20, 2))
    expect(await ended()).toEqual([0])
    state.at(address(1)).nonce = 1n
    pool.onHead(testHead, { included: [hash], changed: [address(1)] })
    expect(await ended()).toEqual([0, 0])
  })

  test('where an earlier transaction leaves the pool', async () => {
    const { transfer, wait, ended, pool } = createWaiters()
    const { hash } = wait(transfer(1, 0))
    wait(transfer(1, 1))
    pool.remove(hash)
    expect((await ended()).toSorted()).toEqual([0, 1])
  })

  test('when the mode changes', async () => {
    const { transfer, wait, ended, waiters, facts } = createWaiters()
    wait(transfer(1, 0))
    facts.isInstantSeal = false
    waiters.recheck()
    expect(await ended()).toEqual([0])
  })

  test('when no block comes for now', async () => {
    const { transfer, wait, ended, waiters } = createWaiters()
    wait(transfer(1, 0))
    wait(transfer(2, 0))
    waiters.settleAll()
    expect(await ended()).toEqual([0, 0])
  })

  test('when the process ends, and at once from then on', async () => {
    const { transfer, wait, ended, waiters } = createWaiters()
    wait(transfer(1, 0))
    waiters.close()
    wait(transfer(2, 0))
    expect(await ended()).toEqual([0, 0])
  })

  test('with an error when no block can hold the transaction, and for nobody else', async () => {
    const { transfer, wait, ended, waiters } = createWaiters()
    wait(transfer(1, 0))
    const { transaction } = transfer(2, 0)
    const waiting = waiters.wait(transaction as PoolTransaction)
    waiters.failOf((transaction as PoolTransaction).hash, new Error('the remote does not have it'))
    await expect(waiting).rejects.toThrow('the remote does not have it')
    expect(await ended()).toEqual([])
  })
})
