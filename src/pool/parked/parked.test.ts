import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type JournaledPool, openJournaledPool, statedTransfer } from '../../../test/support/journaledPool.ts'
import { address, createTestPool, testHead } from '../../../test/support/pool.ts'
import type { PoolSettings } from '../types.ts'

const cost = 210_000n * 10n ** 9n

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parked-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (settings: Partial<PoolSettings> = {}): JournaledPool => openJournaledPool(folder, { settings })

type Account = ReturnType<JournaledPool['state']['at']>

/** Opens the pool of the next process, with what account 1 is by then, and restores its journal. */
const restart = async (settings: Partial<PoolSettings> = {}, account: Partial<Account> = {}) => {
  const next = open(settings)
  Object.assign(next.state.at(address(1)), account)
  return { ...next, result: await next.submitter.restore() }
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** Sends local transfers and returns the hashes, all acknowledged. */
const acknowledge = async (
  { transferLocal }: JournaledPool,
  sender: number,
  nonces: readonly number[],
  ...fees: number[]
): Promise<readonly Uint8Array[]> => {
  const hashes: Uint8Array[] = []
  for (const nonce of nonces) {
    const hash = await transferLocal(sender, nonce, ...fees)
    if (typeof hash === 'string') throw new Error(`nonce ${nonce}: ${hash}`)
    hashes.push(hash)
  }
  return hashes
}

const missing = ({ pool }: JournaledPool, hashes: readonly Uint8Array[]): number =>
  hashes.filter((hash) => pool.get(hash) === undefined).length

/** A block with the first pending transactions of a sender. */
const mine = ({ pool, state }: JournaledPool, sender: number, count: number): void => {
  const included = pool.pendingOf(address(sender)).slice(0, count)
  state.at(address(sender)).nonce += BigInt(included.length)
  pool.onHead(pool.head, { included: included.map(({ hash }) => hash), changed: [address(sender)] })
}

describe("an account's own full queue", () => {
  it('rejects the newcomer and keeps what was acknowledged', async () => {
    const pool = open()
    const hashes = await acknowledge(pool, 1, range(10, 74))
    expect(await pool.transferLocal(1, 5)).toBe('accountLimit')
    expect(missing(pool, hashes)).toBe(0)
    const second = await restart()
    expect(missing(second, hashes)).toBe(0)
    expect(second.queued(1)).toEqual(range(10, 74))
  })

  it('takes the next nonce all the same', async () => {
    const pool = open()
    await acknowledge(pool, 1, [...range(1, 65), 0])
    expect(pool.pending(1)).toEqual(range(0, 65))
  })
})

describe('a restart', () => {
  it('has one queued that can be paid only later, and executes it then', async () => {
    const first = open()
    first.state.at(address(1)).balance = 2n * cost
    const hashes = await acknowledge(first, 1, [1, 2, 0])
    expect([first.pending(1), first.queued(1)]).toEqual([[0, 1], [2]])
    const second = await restart({}, { balance: 2n * cost })
    expect([second.pending(1), second.queued(1)]).toEqual([[0, 1], [2]])
    expect(missing(second, hashes)).toBe(0)
    expect(second.result).toMatchObject({ restored: 3, parked: 0, skipped: 0 })
    mine(second, 1, 2)
    expect(second.pending(1)).toEqual([2])
  })

  it('with smaller limits loses nothing, and says what is parked', async () => {
    const first = open()
    const hashes: Uint8Array[] = []
    for (const sender of range(1, 5)) hashes.push(...(await acknowledge(first, sender, range(0, 20))))
    const small = { globalSlots: 20, accountSlots: 2, globalQueue: 10, accountQueue: 4 }
    const second = await restart(small)
    expect(second.result).toMatchObject({ restored: 30, parked: 50, skipped: 0 })
    expect(missing(second, hashes)).toBe(0)
    expect(second.pool.counts).toEqual({ pending: 20, queued: 60 })
    const third = await restart(small)
    expect(missing(third, hashes)).toBe(0)
    // Each block makes room for what is parked.
    for (const _ of range(0, 80)) for (const sender of range(1, 5)) mine(third, sender, 1)
    expect(third.told.dropped).toHaveLength(80)
    expect(third.pool.counts).toEqual({ pending: 0, queued: 0 })
    // And with the limits of before all are pending at once.
    expect((await restart()).pool.counts).toEqual({ pending: 80, queued: 0 })
  })

  it('keeps what cannot be paid yet, also through a rollback', async () => {
    const hashes = await acknowledge(open(), 1, [0, 1])
    const second = await restart({}, { balance: 0n })
    expect(second.result).toMatchObject({ restored: 0, parked: 2, skipped: 0 })
    second.submitter.forgetIncluded()
    second.pool.reset(testHead, [])
    expect(missing(second, hashes)).toBe(0)
    const third = await restart({}, { balance: 0n })
    expect(missing(third, hashes)).toBe(0)
    third.state.at(address(1)).balance = 2n * cost
    third.pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(third.pending(1)).toEqual([0, 1])
  })

  it('drops what is used, and says why', async () => {
    await acknowledge(open(), 1, [0, 1])
    const second = await restart({}, { nonce: 1n })
    expect(second.result).toMatchObject({ restored: 1, parked: 0, skipped: 1, why: { nonceTooLow: 1 } })
  })
})

describe('an acknowledged transaction that must leave', () => {
  const full = { globalSlots: 2, accountSlots: 1 }

  it('for one that pays more is parked, found, and reverted when there is room', async () => {
    const pool = open(full)
    const hashes = await acknowledge(pool, 1, [0, 1])
    expect(pool.transfer(2, 0, 20, 5).rejection).toBeUndefined()
    expect(missing(pool, hashes)).toBe(0)
    expect([pool.pending(1), pool.queued(1), pool.nextNonce(1)]).toEqual([[0], [1], 2])
    expect(pool.log).not.toContain('evicted 1')
    mine(pool, 2, 1)
    expect([pool.pending(1), pool.queued(1)]).toEqual([[0, 1], []])
  })

  it('has the pool follow its sender, also if nothing else of it is there', async () => {
    const pool = open(full)
    const [only] = await acknowledge(pool, 1, [0])
    for (const sender of [2, 3]) pool.transfer(sender, 0, 20, 5)
    expect(pool.pool.isParked(pool.pool.get(only as Uint8Array) as never)).toBe(true)
    expect(pool.pool.stateOf(address(1))).toMatchObject({ nonce: 0n })
    expect([...pool.pool.content().queued.values()].flat()).toHaveLength(1)
    pool.pool.remove(only as Uint8Array)
    expect(pool.pool.stateOf(address(1))).toBeUndefined()
  })

  it('or that waits in the queue for room alone is counted for the next nonce, so that its sender does not replace it', async () => {
    const pool = open(full)
    const [waiting] = await acknowledge(pool, 1, [1])
    for (const sender of [2, 3]) pool.transfer(sender, 0, 20, 5)
    await acknowledge(pool, 1, [0], 20, 9)
    expect([pool.pending(1), pool.queued(1), pool.nextNonce(1)]).toEqual([[0], [1], 2])
    const goesOn = await pool.transferLocal(1, pool.nextNonce(1), 20, 2)
    expect(missing(pool, [waiting as Uint8Array, goesOn as Uint8Array])).toBe(0)
    expect([pool.queued(1), pool.nextNonce(1)]).toEqual([[1, 2], 3])
  })

  it('is not counted where it waits for the funds of those before it, or where nobody acknowledged it', async () => {
    const poor = open()
    poor.state.at(address(1)).balance = cost
    await acknowledge(poor, 1, [1, 0])
    expect([poor.pending(1), poor.queued(1), poor.nextNonce(1)]).toEqual([[0], [1], 1])
    const { transfer, pending, queued, nextNonce } = createTestPool({ settings: full })
    transfer(1, 1)
    for (const sender of [2, 3]) transfer(sender, 0, 20, 5)
    transfer(1, 0, 20, 9)
    expect([pending(1), queued(1), nextNonce(1)]).toEqual([[0], [1], 1])
  })

  it('is dropped where nobody acknowledged it', () => {
    const pool = open(full)
    for (const nonce of [0, 1]) pool.transfer(1, nonce)
    pool.transfer(2, 0, 20, 5)
    expect(pool.log).toContain('evicted 1')
    expect([pool.pending(1), pool.queued(1)]).toEqual([[0], []])
  })

  it('because it cannot be paid is parked until it can', async () => {
    const pool = open()
    const hashes = await acknowledge(pool, 1, [0, 1, 2])
    pool.state.at(address(1)).balance = cost
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(missing(pool, hashes)).toBe(0)
    expect([pool.pending(1), pool.queued(1)]).toEqual([[0], [1, 2]])
    pool.state.at(address(1)).balance = 0n
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect([pool.pending(1), pool.queued(1), pool.nextNonce(1)]).toEqual([[], [0, 1, 2], 0])
    pool.state.at(address(1)).balance = 3n * cost
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(pool.pending(1)).toEqual([0, 1, 2])
  })

  it('because the gas limit fell is parked until it rises', async () => {
    const pool = open()
    await pool.transferLocal(1, 0, 1, 1, { gasLimit: 15_000_000n })
    pool.pool.onHead({ ...testHead, gasLimit: 10_000_000n }, { included: [], changed: [] })
    expect([pool.pending(1), pool.queued(1)]).toEqual([[], [0]])
    pool.pool.onHead(testHead, { included: [], changed: [] })
    expect(pool.pending(1)).toEqual([0])
  })

  it('behind one that was taken out is parked beyond the cap of the queue', async () => {
    const pool = open({ accountQueue: 2 })
    const [first, ...rest] = await acknowledge(pool, 1, range(0, 6))
    pool.pool.remove(first as Uint8Array)
    expect(missing(pool, rest)).toBe(0)
    await acknowledge(pool, 1, [0], 20, 2)
    expect(pool.pending(1)).toEqual(range(0, 6))
  })

  it('is replaced by its sender, at any price if it cannot be paid', async () => {
    const pool = open(full)
    const [, evicted] = await acknowledge(pool, 1, [0, 1])
    pool.transfer(2, 0, 20, 5)
    expect(await pool.transferLocal(1, 1, 10, 1, { value: 1n })).toBe('replacementUnderpriced')
    mine(pool, 2, 1)
    pool.state.at(address(1)).balance = cost
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    mine(pool, 1, 1)
    pool.state.at(address(1)).balance = cost / 2n
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    await acknowledge(pool, 1, [1], 4, 1)
    expect(pool.pool.get(evicted as Uint8Array)).toBeUndefined()
    expect(pool.pending(1)).toEqual([1])
  })

  it('replaced by one that came from elsewhere leaves its place to that one, also after a restart', async () => {
    const pool = open(full)
    const [first, second] = await acknowledge(pool, 1, [0, 1])
    const { transaction } = await pool.submit(statedTransfer(1, 1, 20, 2), false, true)
    expect([pool.pool.get(second as Uint8Array), transaction?.isLocal]).toEqual([undefined, true])
    pool.transfer(2, 0, 30, 5)
    expect(missing(pool, [first as Uint8Array, transaction?.hash as Uint8Array])).toBe(0)
    const next = await restart()
    expect(missing(next, [first as Uint8Array, transaction?.hash as Uint8Array])).toBe(0)
    expect(next.pool.get(second as Uint8Array)).toBeUndefined()
    // What replaces one that nobody acknowledged is not kept.
    pool.transfer(3, 0, 40, 6)
    expect((await pool.submit(statedTransfer(3, 0, 60, 9), false, true)).transaction?.isLocal).toBe(false)
  })

  it('comes back beside what its sender has queued since', async () => {
    const pool = open({ globalSlots: 1, accountSlots: 1, globalQueue: 1 })
    pool.transfer(2, 0, 20, 5)
    const [waiting] = await acknowledge(pool, 1, [1])
    // It is the next one of its sender now, but the pool is full.
    pool.state.at(address(1)).nonce = 1n
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    pool.transfer(3, 5, 20, 2)
    expect(pool.pool.isParked(pool.pool.get(waiting as Uint8Array) as never)).toBe(true)
    await acknowledge(pool, 1, [9], 20, 3)
    mine(pool, 2, 1)
    expect([pool.pending(1), pool.queued(1)]).toEqual([[1], [9]])
  })

  it('goes by a block of others, a used nonce, the end of its lifetime, and the word of the owner', async () => {
    const pool = open()
    const hashes = [
      ...(await acknowledge(pool, 1, [0, 1])),
      ...(await acknowledge(pool, 2, [0])),
      ...(await acknowledge(pool, 3, [0])),
    ]
    for (const sender of [1, 2, 3]) pool.state.at(address(sender)).balance = 0n
    pool.pool.onHead(testHead, { included: [], changed: [1, 2, 3].map(address) })
    expect(pool.pool.counts).toEqual({ pending: 0, queued: 4 })
    pool.log.length = 0
    pool.state.at(address(1)).nonce = 2n
    pool.pool.onHead(testHead, { included: [hashes[0] as Uint8Array], changed: [address(1)] })
    expect(pool.pool.remove(hashes[2] as Uint8Array)).toBe(true)
    pool.clock.now = 24 * 60 * 60 * 1_000 + 1
    pool.pool.expire()
    expect(pool.log).toEqual(['included 0', 'stale 1', 'removed 0', 'expired 0'])
    expect((await restart()).pool.get(hashes[2] as Uint8Array)).toBeUndefined()
    await acknowledge(pool, 4, [5])
    pool.state.at(address(4)).balance = 0n
    pool.pool.onHead(testHead, { included: [], changed: [address(4)] })
    pool.pool.clear()
    expect([...pool.pool.transactions()]).toEqual([])
  })
})

describe('what is parked has bounds', () => {
  it('for a sender, whose further sends are rejected before they are acknowledged', async () => {
    const pool = open()
    await acknowledge(pool, 1, range(0, 64))
    pool.state.at(address(1)).balance = cost / 2n
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(await pool.transferLocal(1, 64, 2, 1)).toBe('accountLimit')
    await acknowledge(pool, 2, [0])
  })

  it('for a sender, but not for the transaction that those wait for', async () => {
    const pool = open({ globalQueue: 64 })
    await acknowledge(pool, 1, range(1, 65))
    for (const nonce of range(1, 65)) pool.transfer(2, nonce, 20, 5)
    expect(pool.pool.parkedCount).toBe(64)
    expect(await pool.transferLocal(1, 65, 30, 6)).toBe('accountLimit')
    await acknowledge(pool, 1, [0])
    expect(pool.pending(1)).toEqual(range(0, 65))
  })

  it('in all, in bytes: what the next block could hold is taken up to twice as many', async () => {
    const pool = open({ parkedBytes: 2 * statedTransfer(1, 0).length })
    const park = async (sender: number): Promise<void> => {
      await acknowledge(pool, sender, [0])
      pool.state.at(address(sender)).balance = 0n
      pool.pool.onHead(testHead, { included: [], changed: [address(sender)] })
    }
    for (const sender of [1, 2]) await park(sender)
    expect(await pool.transferLocal(3, 7)).toBe('poolFull')
    expect(pool.transfer(3, 7).rejection).toBeUndefined()
    for (const sender of [4, 5]) await park(sender)
    expect(await pool.transferLocal(6, 0)).toBe('poolFull')
    // A transaction of others is taken, and not made an acknowledged one: its sender is told why.
    await pool.submit(statedTransfer(6, 0), false, true)
    expect(await pool.transferLocal(6, 0)).toBe('poolFull')
    expect(pool.pool.pendingOf(address(6)).map(({ isLocal }) => isLocal)).toEqual([false])
    pool.pool.clear()
    await acknowledge(pool, 3, [7])
  })
})

describe('a restored transaction whose nonce one from elsewhere has', () => {
  /** Restores what was acknowledged beside transactions of others, which came first. */
  const restoreBeside = async (
    settings: Partial<PoolSettings>,
    arrange: (pool: JournaledPool) => unknown,
  ): Promise<JournaledPool> => {
    const next = open(settings)
    await arrange(next)
    await next.submitter.restore()
    return next
  }
  const settle = (pool: JournaledPool, account: Partial<Account>) => {
    Object.assign(pool.state.at(address(1)), account)
    pool.pool.onHead(testHead, { included: [], changed: [address(1)] })
  }

  for (const keepsUnpayable of [true, false])
    it(`replaces it as soon as its sender can pay: ${keepsUnpayable ? 'node' : 'gateway'}`, async () => {
      const [hash] = await acknowledge(open(), 1, [0], 20, 2)
      const pool = await restoreBeside({ keepsUnpayable }, (before) => {
        for (const nonce of [0, 1]) before.transfer(1, nonce, 10, 1)
        settle(before, { balance: (5n * cost) / 2n })
      })
      expect([pool.pending(1), pool.queued(1), pool.pool.parkedCount]).toEqual([[0, 1], [0], 1])
      settle(pool, { balance: 10n * cost })
      expect([pool.pending(1), pool.queued(1)]).toEqual([[0, 1], []])
      expect(pool.pool.isPending(pool.pool.get(hash as Uint8Array) as never)).toBe(true)
      for (const nonce of [3, 2]) pool.transfer(1, nonce)
      expect([pool.pending(1), pool.queued(1), pool.nextNonce(1)]).toEqual([[0, 1, 2, 3], [], 4])
    })

  it('waits for room if it is larger', async () => {
    const first = open()
    const large = { data: new Uint8Array(40_000), gasLimit: 1_000_000n }
    const hash = await first.transferLocal(1, 0, 20, 2, large)
    const pool = await restoreBeside({ globalSlots: 2, accountSlots: 1 }, (before) => {
      before.transfer(1, 0, 10, 1)
      before.transfer(2, 0, 30, 3)
    })
    expect([pool.pending(1), pool.queued(1)]).toEqual([[0], [0]])
    mine(pool, 2, 1)
    expect([pool.pending(1), pool.queued(1)]).toEqual([[0], []])
    expect(pool.pool.get(hash as Uint8Array)).toBeDefined()
  })

  it('leaves its place to one that pays as much, which is kept from then on', async () => {
    await acknowledge(open(), 1, [0], 10, 1)
    const pool = await restoreBeside({}, ({ submit }) =>
      submit(statedTransfer(1, 0, 10, 1, { value: 1n }), false, true),
    )
    expect(pool.pool.pendingOf(address(1)).map(({ isLocal }) => isLocal)).toEqual([true])
    const next = await restart()
    expect(next.pool.pendingOf(address(1)).map(({ transaction }) => transaction.value)).toEqual([1n])
  })
})

describe('the time that what is parked takes', () => {
  /** Parks one transaction of each of some senders in a full pool, and makes room for all. */
  const parkMany = async (count: number): Promise<JournaledPool> => {
    const pool = open({ globalSlots: count, accountSlots: count, globalQueue: 0 })
    for (const sender of range(1, count + 1)) await acknowledge(pool, sender, [0])
    for (const nonce of range(0, count)) pool.transfer(count + 1, nonce, 20, 5)
    expect(pool.pool.parkedCount).toBe(count)
    return pool
  }
  /** Has each look at the clock take a millisecond. */
  const tick = ({ clock }: JournaledPool) => {
    let now = 0
    Object.defineProperty(clock, 'now', { get: () => now++ })
    return () => now
  }

  it('has a bound at each head, and the others have their turn at the next ones', async () => {
    const pool = await parkMany(40)
    tick(pool)
    mine(pool, 41, 40)
    const left = [pool.pool.parkedCount]
    while (pool.pool.parkedCount > 0 && left.length < 100) {
      pool.pool.onHead(testHead, { included: [], changed: [] })
      left.push(pool.pool.parkedCount)
    }
    expect(left.at(-1)).toBe(0)
    expect(left.length).toBeGreaterThan(4)
  })

  it('has a bound in each turn in which transactions are removed', async () => {
    const pool = await parkMany(40)
    const others = pool.pool.pendingOf(address(41)).toReversed()
    const now = tick(pool)
    for (const { hash } of others) pool.pool.remove(hash)
    expect(now()).toBeLessThan(40)
    await expect.poll(() => pool.pool.parkedCount).toBeLessThan(40)
  })
})
