import { describe, expect, it } from 'vitest'
import {
  address,
  coin,
  createSubmission,
  createTestPool,
  dynamicFee,
  gwei,
  testHead,
} from '../../test/support/pool.ts'
import { slow } from '../../test/support/slow.ts'
import { toBigInt } from '../base/encoding/bytes.ts'
import type { Submission } from './types.ts'

const cost = 210_000n * gwei
const hour = 60 * 60 * 1_000
const limits = {
  baseFee: gwei,
  blobBaseFee: 1n,
  minTip: 0n,
  gasLimit: 30_000_000n,
  maxBytes: 1_000_000,
  maxBlobs: 6,
}

describe('pending and queued', () => {
  it('counts the next nonce from the head and the gap-free run', () => {
    const { transfer, nextNonce, state, pending, queued } = createTestPool()
    state.at(address(1)).nonce = 5n
    expect(nextNonce(1)).toBe(5)
    transfer(1, 5)
    transfer(1, 6)
    transfer(1, 8)
    expect(nextNonce(1)).toBe(7)
    expect([pending(1), queued(1)]).toEqual([[5, 6], [8]])
  })

  it('queues what has a gap before it, and promotes it when the gap closes', () => {
    const { transfer, pool, log, pending, queued } = createTestPool()
    transfer(1, 2)
    transfer(1, 1)
    expect([pending(1), queued(1), pool.counts]).toEqual([[], [1, 2], { pending: 0, queued: 2 }])
    expect(log).toEqual([])
    transfer(1, 0)
    expect([pending(1), queued(1), pool.counts]).toEqual([[0, 1, 2], [], { pending: 3, queued: 0 }])
    expect(log).toEqual(['pending 0', 'pending 1', 'pending 2'])
  })

  it('gives what it has by hash, by sender and as a whole', () => {
    const { transfer, pool } = createTestPool()
    const { transaction } = transfer(1, 0)
    transfer(2, 3)
    expect(pool.get(transaction?.hash ?? new Uint8Array(32))).toBe(transaction)
    expect(pool.get(new Uint8Array(32))).toBeUndefined()
    const { pending, queued } = pool.content()
    expect([...pending.keys()]).toEqual(['0x000000000000000000000000000000000000a001'])
    expect([...queued.values()].flat().map(({ transaction: tx }) => tx.nonce)).toEqual([3n])
  })

  it('promotes no further than the sender can pay, and the rest when it can', () => {
    const { transfer, pool, state, pending, queued } = createTestPool()
    state.at(address(1)).balance = 2n * cost
    transfer(1, 1)
    transfer(1, 2)
    transfer(1, 0)
    expect([pending(1), queued(1)]).toEqual([[0, 1], [2]])
    state.at(address(1)).balance = 3n * cost
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect([pending(1), queued(1)]).toEqual([[0, 1, 2], []])
  })

  it('has another version after each change, and the same after none', () => {
    const { transfer, pool } = createTestPool()
    const versions = [pool.version]
    transfer(1, 0)
    versions.push(pool.version)
    transfer(1, 2)
    versions.push(pool.version)
    transfer(1, 2, 11, 2)
    versions.push(pool.version)
    pool.onHead({ ...testHead, number: 2n }, { included: [], changed: [] })
    transfer(1, 0)
    expect(pool.version).toBe(versions.at(-1))
    expect(new Set(versions).size).toBe(4)
  })
})

describe('replacement', () => {
  it.each([
    [10, 2, 'replacement transaction underpriced'],
    [11, 1, 'replacement transaction underpriced'],
    [11, 2, undefined],
  ])('of fees 10 and 1 by %i and %i', (feeCap, tip, message) => {
    for (const nonce of [0, 3]) {
      const { transfer, pool } = createTestPool()
      transfer(1, nonce)
      expect(transfer(1, nonce, feeCap, tip).rejection?.message).toBe(message)
      expect(pool.counts.pending + pool.counts.queued).toBe(1)
    }
  })

  it('needs a tenth more on both, to the wei', () => {
    const { send } = createTestPool()
    const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
      send(1, dynamicFee({ maxFeePerGas, maxPriorityFeePerGas }))
    fees(10n * gwei, 100n)
    expect(fees(11n * gwei - 1n, 110n).rejection?.message).toBe('replacement transaction underpriced')
    expect(fees(11n * gwei, 109n).rejection?.message).toBe('replacement transaction underpriced')
    expect(fees(11n * gwei, 110n).rejection).toBeUndefined()
  })

  it('takes the old one out and tells', () => {
    const { transfer, pool, log, pending } = createTestPool()
    const { transaction: old } = transfer(1, 0)
    transfer(1, 1)
    transfer(1, 0, 20, 2)
    expect(pending(1)).toEqual([0, 1])
    expect(pool.get(old?.hash ?? new Uint8Array(32))).toBeUndefined()
    expect(log).toEqual(['pending 0', 'pending 1', 'pending 0', 'replaced 0'])
  })
})

describe('a full pool', () => {
  it('accepts what pays more, and evicts the cheapest last one', () => {
    const { transfer, pool, pending } = createTestPool({ settings: { globalSlots: 4, accountSlots: 2 } })
    transfer(1, 0, 50, 5)
    transfer(1, 1, 50, 5)
    transfer(2, 0, 50, 3)
    transfer(2, 1, 50, 9)
    expect(transfer(3, 0, 50, 3).rejection?.message).toBe('transaction underpriced')
    expect(transfer(3, 0, 50, 4).rejection).toBeUndefined()
    expect([pending(1), pending(2), pending(3), pool.counts.pending]).toEqual([[0, 1], [0], [0], 4])
  })

  it('values a run by its cheapest, so that a low first one pins nothing', () => {
    const { transfer, pending } = createTestPool({ settings: { globalSlots: 3, accountSlots: 3 } })
    transfer(1, 0, 50, 1)
    transfer(1, 1, 50, 40)
    transfer(1, 2, 50, 40)
    transfer(2, 0, 50, 2)
    expect([pending(1), pending(2)]).toEqual([[0, 1], [0]])
  })

  it('gives a sender its share at the cost of those over theirs, whatever they pay', () => {
    const { transfer, pending } = createTestPool({ settings: { globalSlots: 4, accountSlots: 2 } })
    for (let nonce = 0; nonce < 4; nonce++) transfer(1, nonce, 50, 40)
    transfer(2, 0, 50, 1)
    transfer(2, 1, 50, 1)
    expect([pending(1), pending(2)]).toEqual([
      [0, 1],
      [0, 1],
    ])
    expect(transfer(2, 2, 50, 1).rejection?.message).toBe('txpool is full')
  })

  it('gives no share to what cannot pay the base fee', () => {
    const { transfer } = createTestPool({
      settings: { globalSlots: 3, accountSlots: 2 },
      head: { baseFee: 5n * gwei },
    })
    for (let nonce = 0; nonce < 3; nonce++) transfer(1, nonce, 50, 40)
    expect(transfer(2, 0, 4, 1).rejection?.message).toBe('transaction underpriced')
  })

  it('lets one over its share take only from others over theirs', () => {
    const { transfer, pending } = createTestPool({ settings: { globalSlots: 5, accountSlots: 2 } })
    for (let nonce = 0; nonce < 3; nonce++) transfer(1, nonce, 50, 3)
    for (let nonce = 0; nonce < 2; nonce++) transfer(2, nonce, 50, 4)
    transfer(2, 2, 50, 4)
    expect([pending(1), pending(2)]).toEqual([
      [0, 1],
      [0, 1, 2],
    ])
    expect(transfer(1, 2, 50, 40).rejection?.message).toBe('transaction underpriced')
  })

  it('keeps 5,120 executable ones whatever the price of 5,120 future ones', slow, () => {
    const { transfer, pool, state, told } = createTestPool()
    for (let sender = 0; sender < 320; sender++)
      for (let nonce = 0; nonce < 16; nonce++) transfer(sender, nonce, 2, 1)
    expect(pool.counts).toEqual({ pending: 5_120, queued: 0 })
    for (let sender = 1_000; sender < 1_080; sender++) {
      state.at(address(sender)).balance = 1_000n * coin
      for (let nonce = 1; nonce <= 64; nonce++) transfer(sender, nonce, 500 + sender, 400 + sender)
    }
    expect(pool.counts).toEqual({ pending: 5_120, queued: 1_024 })
    const dropped = told.dropped.map(({ sender }) => toBigInt(sender) - toBigInt(address(0)))
    expect(dropped.length).toBeGreaterThan(0)
    expect(dropped.filter((sender) => sender < 320n)).toEqual([])
  })

  it('makes room for a large one only if all of it can be had', () => {
    const { transfer, pool, pending } = createTestPool({ settings: { globalSlots: 4, accountSlots: 4 } })
    transfer(1, 0, 50, 1)
    for (const sender of [2, 3, 4]) transfer(sender, 0, 50, 5)
    const large = { data: new Uint8Array(40_000), gasLimit: 1_000_000n }
    expect(transfer(5, 0, 50, 3, large).rejection?.message).toBe('transaction underpriced')
    expect(pool.counts.pending).toBe(4)
    expect(transfer(5, 0, 50, 6, large).rejection).toBeUndefined()
    expect(pool.counts.pending).toBe(3)
    expect(pending(1)).toEqual([])
  })

  it('values a run again after a replacement in it', () => {
    const { transfer } = createTestPool({ settings: { globalSlots: 2, accountSlots: 2 } })
    transfer(1, 0, 50, 2)
    transfer(2, 0, 50, 9)
    expect(transfer(3, 0, 50, 1).rejection?.message).toBe('transaction underpriced')
    transfer(1, 0, 60, 8)
    expect(transfer(3, 0, 50, 5).rejection?.message).toBe('transaction underpriced')
    expect(transfer(3, 0, 50, 9).rejection).toBeUndefined()
  })

  it('promotes what waited for room once a block has made some', () => {
    const { transfer, pool, state, pending, queued } = createTestPool({
      settings: { globalSlots: 2, accountSlots: 2 },
    })
    transfer(1, 0, 50, 5)
    transfer(2, 1, 50, 1)
    transfer(2, 0, 50, 6)
    expect([pending(2), queued(2)]).toEqual([[0], [1]])
    state.at(address(1)).nonce = 1n
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect([pending(2), queued(2)]).toEqual([[0, 1], []])
  })
})

describe('a full queue', () => {
  it('holds 64 of an account, and rejects further ones whatever their nonce', () => {
    const { transfer, queued, pending, log } = createTestPool()
    for (let nonce = 2; nonce < 66; nonce++) transfer(1, nonce)
    for (const nonce of [66, 1])
      expect(transfer(1, nonce).rejection?.message).toBe('account limit exceeded: pooled 64 txs')
    expect(queued(1)).toEqual(Array.from({ length: 64 }, (_, index) => index + 2))
    expect(log).toEqual([])
    // The next nonce needs no place in the queue, and makes room in it.
    for (const nonce of [0, 1]) expect(transfer(1, nonce).rejection).toBeUndefined()
    expect(pending(1)).toHaveLength(66)
  })

  it('drops the cheapest for one that pays more, and no pending one', () => {
    const { transfer, pool, queued, pending } = createTestPool({ settings: { globalQueue: 2 } })
    transfer(1, 0, 2, 1)
    transfer(2, 1, 50, 5)
    transfer(3, 1, 50, 4)
    expect(transfer(4, 1, 50, 4).rejection?.message).toBe('transaction underpriced')
    expect(transfer(4, 1, 50, 6).rejection).toBeUndefined()
    expect([queued(2), queued(3), queued(4), pending(1)]).toEqual([[1], [], [1], [0]])
    expect(pool.counts).toEqual({ pending: 1, queued: 2 })
  })

  it('makes room for a larger one only if all of it can be had', () => {
    const { transfer, pool, queued } = createTestPool({ settings: { globalQueue: 3 } })
    transfer(1, 5, 50, 1)
    transfer(2, 5, 50, 2)
    transfer(3, 5, 50, 9)
    const large = { data: new Uint8Array(40_000), gasLimit: 1_000_000n }
    expect(transfer(4, 4, 50, 2, large).rejection?.message).toBe('transaction underpriced')
    expect([queued(1), queued(2), queued(3)]).toEqual([[5], [5], [5]])
    expect(transfer(4, 4, 50, 3, large).rejection).toBeUndefined()
    expect([queued(1), queued(2), queued(3), queued(4)]).toEqual([[], [], [5], [4]])
    expect(pool.counts.queued).toBe(2)
  })

  it('takes in what is pending no more, at the cost of the cheapest', () => {
    const { transfer, pool, state, pending, queued } = createTestPool({ settings: { globalQueue: 3 } })
    transfer(2, 5, 50, 1)
    transfer(3, 5, 50, 9)
    for (const nonce of [0, 1, 2, 3]) transfer(1, nonce, 10, 5)
    state.at(address(1)).balance = 2n * cost
    state.at(address(1)).nonce = 0n
    const first = pool.pendingOf(address(1))[0]
    pool.remove(first?.hash ?? new Uint8Array(32))
    expect([pending(1), queued(1), queued(2), queued(3)]).toEqual([[], [1, 2], [], [5]])
    expect(pool.counts).toEqual({ pending: 0, queued: 3 })
  })

  it('drops what has been queued for three hours', () => {
    const { transfer, pool, clock, log, queued } = createTestPool()
    transfer(1, 0)
    transfer(1, 2)
    clock.now = hour
    transfer(2, 1)
    clock.now = 3 * hour
    pool.expire()
    expect(log).toEqual(['pending 0'])
    clock.now++
    pool.onHead(testHead, { included: [], changed: [] })
    expect(log).toEqual(['pending 0', 'expired 2'])
    expect(queued(2)).toEqual([1])
    clock.now = 10 * hour
    pool.expire()
    expect(pool.counts).toEqual({ pending: 1, queued: 0 })
  })

  it('drops what no block took for a day, whether it was promoted, demoted or reverted meanwhile', () => {
    const { transfer, pool, clock, log, pending, queued } = createTestPool()
    transfer(1, 1)
    clock.now = hour
    transfer(1, 0)
    transfer(2, 0)
    clock.now = 2 * hour
    pool.reset(testHead, [])
    for (const nonce of [2, 3]) transfer(1, nonce)
    clock.now = 24 * hour
    pool.expire()
    expect([pending(1), pending(2)]).toEqual([[0, 1, 2, 3], [0]])
    log.length = 0
    clock.now++
    pool.expire()
    expect([pending(1), queued(1), pending(2)]).toEqual([[0], [2, 3], [0]])
    expect(log).toEqual(['expired 1'])
    clock.now = 25 * hour + 1
    pool.onHead(testHead, { included: [], changed: [] })
    expect([pending(1), queued(1), pending(2)]).toEqual([[], [2, 3], []])
    expect(log).toEqual(['expired 1', 'expired 0', 'expired 0'])
  })
})

describe('long transactions of one sender that pay too little', () => {
  const long = {
    data: new Uint8Array(130_000),
    gasLimit: 6_000_000n,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 1n,
  }

  it('fill the pool only until somebody else needs the room, down to the share of an account', () => {
    const { transfer, pool, pending } = createTestPool({ settings: { globalSlots: 400 } })
    for (let nonce = 0; nonce < 100; nonce++) expect(transfer(1, nonce, 0, 0, long).rejection).toBeUndefined()
    expect(transfer(1, 100, 0, 0, long).rejection?.kind).toBe('underpriced')
    for (let sender = 2; sender < 20; sender++)
      for (let nonce = 0; nonce < 16; nonce++) expect(transfer(sender, nonce).rejection).toBeUndefined()
    expect(pending(1).length).toBeGreaterThanOrEqual(16)
    expect(pool.counts.pending).toBe(18 * 16 + pending(1).length)
  })

  it('cannot be queued beyond the cap of an account', () => {
    const { transfer, pool } = createTestPool()
    for (let nonce = 1; nonce <= 64; nonce++) expect(transfer(1, nonce, 0, 0, long).rejection).toBeUndefined()
    expect(transfer(1, 65, 0, 0, long).rejection?.kind).toBe('accountLimit')
    expect(transfer(2, 1).rejection).toBeUndefined()
    expect(pool.counts.queued).toBe(65)
  })
})

describe('a new head', () => {
  it('takes out what it includes and what is stale', () => {
    const { transfer, pool, state, log, pending, queued } = createTestPool()
    const { transaction } = transfer(1, 0)
    for (const nonce of [1, 2, 4]) transfer(1, nonce)
    log.length = 0
    state.at(address(1)).nonce = 2n
    pool.onHead(testHead, { included: [transaction?.hash ?? new Uint8Array()], changed: [address(1)] })
    expect(log).toEqual(['included 0', 'stale 1'])
    expect([pending(1), queued(1)]).toEqual([[2], [4]])
  })

  it('promotes when a nonce was used elsewhere', () => {
    const { transfer, pool, state, pending, queued } = createTestPool()
    transfer(1, 1)
    state.at(address(1)).nonce = 1n
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect([pending(1), queued(1)]).toEqual([[1], []])
  })

  it('drops what cannot be paid any more, and queues what is behind it', () => {
    const { transfer, pool, state, log, pending, queued } = createTestPool()
    for (const nonce of [0, 1, 2, 3]) transfer(1, nonce)
    log.length = 0
    state.at(address(1)).balance = 2n * cost
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(log).toEqual(['unpayable 2'])
    expect([pending(1), queued(1)]).toEqual([[0, 1], [3]])
  })

  it('drops queued ones that their sender cannot pay', () => {
    const { transfer, pool, state, log } = createTestPool()
    transfer(1, 3)
    state.at(address(1)).balance = cost - 1n
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(log).toEqual(['unpayable 3'])
  })

  it('looks at no account that did not change', () => {
    const { transfer, pool, state, pending } = createTestPool()
    transfer(1, 0)
    state.at(address(1)).nonce = 1n
    pool.onHead(testHead, { included: [], changed: [address(2)] })
    expect(pending(1)).toEqual([0])
    pool.onHead(testHead, { included: [], changed: undefined })
    expect(pending(1)).toEqual([])
  })

  it('drops what is over a lower gas limit, or against a new fork', () => {
    const { transfer, pool, log } = createTestPool({ head: { fork: 'prague' } })
    transfer(1, 0, 10, 1, { gasLimit: 20_000_000n })
    transfer(1, 1, 10, 1)
    transfer(2, 0, 10, 1, { gasLimit: 17_000_000n })
    log.length = 0
    pool.onHead({ ...testHead, fork: 'prague', gasLimit: 19_000_000n }, { included: [], changed: [] })
    expect(log).toEqual(['invalid 0'])
    pool.onHead({ ...testHead, fork: 'osaka' }, { included: [], changed: [] })
    expect(log).toEqual(['invalid 0', 'invalid 0'])
    expect(pool.counts).toEqual({ pending: 0, queued: 1 })
  })

  it('queues what is ahead of a nonce that was set back', () => {
    const { transfer, pool, state, log, pending, queued } = createTestPool()
    state.at(address(1)).nonce = 3n
    transfer(1, 3)
    transfer(1, 4)
    state.at(address(1)).nonce = 2n
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect([pending(1), queued(1)]).toEqual([[], [3, 4]])
    transfer(1, 2)
    expect(pending(1)).toEqual([2, 3, 4])
    expect(log.filter((line) => !line.startsWith('pending'))).toEqual([])
  })

  it('drops all of a sender that became a contract', () => {
    const { transfer, pool, state } = createTestPool()
    for (const nonce of [0, 1, 3]) transfer(1, nonce)
    state.at(address(1)).codeKind = 'contract'
    pool.onHead(testHead, { included: [], changed: [address(1)] })
    expect(pool.counts).toEqual({ pending: 0, queued: 0 })
  })
})

describe('a head that moves back', () => {
  it('brings reverted transactions back before the others, and announces only them', () => {
    const { transfer, pool, state, pending, queued, log } = createTestPool()
    state.at(address(1)).nonce = 2n
    for (let nonce = 2; nonce < 102; nonce++) transfer(1, nonce)
    transfer(2, 4)
    log.length = 0
    state.at(address(1)).nonce = 0n
    const reverted = [0n, 1n].map((nonce): readonly [Submission, { sender: Uint8Array; authorities: [] }] => [
      createSubmission(dynamicFee({ nonce }), 1),
      { sender: address(1), authorities: [] },
    ])
    pool.reset(testHead, reverted)
    expect(pending(1)).toEqual(Array.from({ length: 102 }, (_, nonce) => nonce))
    expect(queued(2)).toEqual([4])
    expect(log).toEqual(['pending 0', 'pending 1'])
    expect(pool.counts).toEqual({ pending: 102, queued: 1 })
  })

  it('drops what it leaves no room or funds to', () => {
    const { transfer, pool, state, log } = createTestPool()
    transfer(1, 0)
    transfer(2, 0)
    log.length = 0
    state.at(address(1)).nonce = 1n
    state.at(address(2)).balance = 0n
    pool.reset(testHead, [])
    expect(log).toEqual(['stale 0', 'unpayable 0'])
    expect(pool.counts).toEqual({ pending: 0, queued: 0 })
  })
})

describe('taking out by hand', () => {
  it('queues what is behind', () => {
    const { transfer, pool, pending, queued } = createTestPool()
    transfer(1, 0)
    const { transaction } = transfer(1, 1)
    transfer(1, 2)
    expect(pool.remove(transaction?.hash ?? new Uint8Array(32))).toBe(true)
    expect(pool.remove(new Uint8Array(32))).toBe(false)
    expect([pending(1), queued(1)]).toEqual([[0], [2]])
  })

  it('clears everything', () => {
    const { transfer, pool, log } = createTestPool()
    transfer(1, 0)
    transfer(1, 3)
    pool.clear()
    expect(log).toEqual(['pending 0', 'removed 0', 'removed 3'])
    expect([pool.counts, [...pool.transactions()]]).toEqual([{ pending: 0, queued: 0 }, []])
  })
})

describe('a selection', () => {
  const chosen = (test: ReturnType<typeof createTestPool>, more = {}) =>
    [...test.pool.select({ ...limits, ...more })].map(
      ({ sender, transaction }) => `${sender[19]}:${transaction.nonce}`,
    )

  it('goes by effective tip, then by arrival, and by nonce within a sender', () => {
    const test = createTestPool()
    test.transfer(1, 0, 10, 2)
    test.transfer(1, 1, 10, 9)
    test.transfer(2, 0, 10, 3)
    test.transfer(3, 0, 10, 2)
    test.transfer(4, 0, 5, 5) // pays 4 above the base fee
    test.transfer(4, 2, 10, 9) // queued
    expect(chosen(test)).toEqual(['4:0', '2:0', '1:0', '1:1', '3:0'])
  })

  it('leaves out what does not pay, with all behind it', () => {
    const test = createTestPool()
    test.transfer(1, 0, 10, 1)
    test.transfer(1, 1, 10, 9)
    test.transfer(2, 0, 10, 3)
    expect(chosen(test, { minTip: 2n * gwei })).toEqual(['2:0'])
    expect(chosen(test, { baseFee: 11n * gwei })).toEqual([])
  })

  it('stays within gas and bytes, and goes on with what fits', () => {
    const test = createTestPool()
    test.transfer(1, 0, 10, 9)
    test.transfer(1, 1, 10, 8, { gasLimit: 100_000n, data: new Uint8Array(1_000) })
    test.transfer(1, 2, 10, 8)
    test.transfer(2, 0, 10, 1)
    expect(chosen(test, { gasLimit: 120_000n })).toEqual(['1:0', '2:0'])
    expect(chosen(test, { maxBytes: 400 })).toEqual(['1:0', '2:0'])
    expect(chosen(test, { gasLimit: 42_000n })).toEqual(['1:0', '2:0'])
    expect(chosen(test, { gasLimit: 41_999n })).toEqual(['1:0'])
  })

  it('says so when the pool changes under it', () => {
    const { transfer, pool } = createTestPool()
    transfer(1, 0)
    transfer(1, 1)
    const selection = pool.select(limits)
    selection.next()
    transfer(2, 0)
    expect(() => selection.next()).toThrow('the pool changed during a selection')
  })
})

describe('the order of a block', () => {
  const selected = (order: 'fees' | 'fifo'): string[] => {
    const { pool, transfer } = createTestPool({ settings: { order } })
    transfer(1, 0, 10, 1)
    transfer(2, 0, 10, 3)
    transfer(1, 1, 10, 9)
    transfer(3, 0, 10, 2)
    return [...pool.select(limits)].map(({ sender, transaction }) => `${sender[19]} ${transaction.nonce}`)
  }

  it('is by tip, or by arrival, and by nonce for each sender', () => {
    expect(selected('fees')).toEqual(['2 0', '3 0', '1 0', '1 1'])
    expect(selected('fifo')).toEqual(['1 0', '2 0', '1 1', '3 0'])
  })
})
