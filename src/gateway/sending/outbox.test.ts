import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { address, createTestPool, dynamicFee } from '../../../test/support/pool.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import type { BroadcastOutcome } from './broadcastOutcome.ts'
import { Outbox, type OutboxTimes } from './outbox.ts'

const times: OutboxTimes = {
  rebroadcastMs: 30_000,
  retryMs: 1_000,
  seenCacheMs: 6_000,
  lifetimeMs: 10_000_000,
  refusalMs: 60_000,
  orphanMs: 600_000,
}

const refused: BroadcastOutcome = { kind: 'refused', code: 0, text: 'the account is frozen' }

const closers: (() => void)[] = []
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  for (const close of closers.splice(0)) close()
  vi.useRealTimers()
})

/** An outbox whose clock goes only where a test says so, and whose node answers what the test says. */
const open = (changed: Partial<OutboxTimes> = {}) => {
  const { pool, send, state } = createTestPool()
  let clock = 1_000_000
  const node = {
    answer: { kind: 'taken' } as BroadcastOutcome,
    /** What it answers to a nonce, where that differs. */
    byNonce: new Map<bigint, BroadcastOutcome>(),
    /** The nodes in order of preference with what each responds; empty: there is one without a name. */
    byName: new Map<string, BroadcastOutcome>(),
    sentTo: [] as string[],
    nonce: 0n,
    /** Called while it is asked for an account. */
    onRead: () => {},
    /** Why what was replaced cannot be put back. */
    noReturn: undefined as string | undefined,
  }
  const outbox = new Outbox(
    { times: { ...times, ...changed }, queuesNonceGaps: false, maxConcurrent: 4 },
    {
      pool,
      send: async ({ transaction }, trail) => {
        const { byName } = node
        if (byName.size === 0) return node.byNonce.get(transaction.nonce) ?? node.answer
        const place = (name: string): number =>
          trail.asked.indexOf(name) + (trail.refusedBy.includes(name) ? byName.size : 0)
        const [name = ''] = [...byName.keys()].sort((one, other) => place(one) - place(other))
        trail.onAsk(name)
        node.sentTo.push(name)
        return byName.get(name) ?? node.answer
      },
      readNewest: async () => {
        node.onRead()
        return { nonce: node.nonce, balance: 10n ** 18n, codeKind: 'none' }
      },
      restore: async () => node.noReturn,
      onAcknowledged: () => {},
      wasAcknowledged: () => false,
      now: () => clock,
      log: createLogger('silent'),
    },
  )
  closers.push(() => outbox.close())
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Lets time go by, at the end of which what is due is sent. */
  const pass = async (milliseconds: number): Promise<void> => {
    clock += milliseconds
    vi.advanceTimersByTime(times.retryMs)
    await settle()
  }
  const submit = async (nonce: bigint, { sender = 0, isLocal = true, price = 1n } = {}): Promise<void> => {
    const { maxFeePerGas, maxPriorityFeePerGas } = dynamicFee({ nonce })
    const fees = {
      maxFeePerGas: price * maxFeePerGas,
      maxPriorityFeePerGas: price * maxPriorityFeePerGas,
    }
    send(sender, dynamicFee({ nonce, ...fees }), isLocal)
    await settle()
  }
  const again = async (): Promise<void> => {
    outbox.rebroadcastAll()
    await settle()
  }
  /** Has a block with the first transaction of a sender. */
  const include = (): void => {
    const [tx] = pool.pendingOf(address(0))
    if (tx === undefined) return
    state.at(address(0)).nonce++
    pool.onHead(pool.head, { included: [tx.hash], changed: [address(0)] })
  }
  return { pool, outbox, node, pass, submit, again, include }
}

const none = { pending: 0, queued: 0 }
const one = { pending: 1, queued: 0 }

describe('a transaction that a block includes while its rejection is looked into', () => {
  it.each([refused, { kind: 'nonce used' } as BroadcastOutcome])('is not given up (%o)', async (answer) => {
    const { pool, outbox, node, submit, include } = open()
    node.answer = answer
    node.nonce = 1n
    node.onRead = include
    await submit(0n)
    expect(pool.counts).toEqual(none)
    expect(outbox.refusals()).toEqual([])
  })

  it('has nothing put back that it replaced', async () => {
    const { pool, outbox, node, submit, include } = open()
    await submit(0n)
    node.answer = refused
    node.noReturn = 'nonce too low'
    node.onRead = include
    await submit(0n, { price: 2n })
    expect(pool.counts).toEqual(none)
    expect(outbox.refusals()).toEqual([])
  })
})

describe('a transaction that was acknowledged', () => {
  it('is not given up for the time in which nobody answered', async () => {
    const { pool, outbox, node, pass, submit, again } = open()
    await submit(0n)
    node.answer = refused
    await again()
    expect(outbox.refusals()).toMatchObject([{ reason: 'the account is frozen', isGivenUp: false }])
    node.answer = { kind: 'unanswered', text: 'down' }
    for (const milliseconds of [3_000, 35_000, 35_000]) await pass(milliseconds)
    node.answer = refused
    await pass(3_000)
    expect(pool.counts).toEqual(one)
    // It is one minute of rejections that counts, also where the node went away after most of one.
    for (let refusals = 0; refusals < 11; refusals++) await pass(5_000)
    expect(pool.counts).toEqual(one)
    node.answer = { kind: 'unanswered', text: 'down' }
    await pass(5_000)
    node.answer = refused
    for (let refusals = 0; refusals < 12; refusals++) await pass(5_000)
    expect(pool.counts).toEqual(one)
    await pass(5_000)
    expect(pool.counts).toEqual(none)
    expect(outbox.refusals()).toMatchObject([{ reason: 'the account is frozen', isGivenUp: true }])
  })

  it('is not given up after a few rejections that lie far apart', async () => {
    const { pool, node, pass, submit, again } = open()
    await submit(0n)
    node.answer = refused
    await again()
    for (let refusals = 0; refusals < 5; refusals++) await pass(61_000)
    expect(pool.counts).toEqual(one)
  })

  it('starts over when the nodes were away in between', async () => {
    const { pool, node, pass, submit, again } = open()
    await submit(0n)
    node.answer = refused
    await again()
    for (let refusals = 0; refusals < 11; refusals++) await pass(5_000)
    await again()
    for (let refusals = 0; refusals < 11; refusals++) await pass(5_000)
    expect(pool.counts).toEqual(one)
  })

  it('may be in a block though the node rejected it the last time', async () => {
    const { pool, outbox, node, pass, submit } = open()
    await submit(0n)
    node.answer = refused
    await pass(31_000)
    expect(outbox.refusals()).toHaveLength(1)
    node.answer = { kind: 'nonce used' }
    node.nonce = 1n
    await pass(2_500)
    expect(pool.counts).toEqual(one)
  })

  it('stays rejected while the node says only that it saw the bytes, until it is seen in a mempool', async () => {
    const { pool, outbox, node, pass, submit, again } = open()
    await submit(0n)
    node.answer = refused
    await again()
    node.answer = { kind: 'known' }
    for (let answers = 0; answers < 9; answers++) await pass(10_000)
    expect(pool.counts).toEqual(one)
    expect(outbox.refusals()).toMatchObject([{ reason: 'the account is frozen', isGivenUp: false }])
    for (const { id } of pool.pendingOf(address(0))) outbox.markSeen(id)
    expect(outbox.refusals()).toEqual([])
  })
})

describe('a transaction that is sent again', () => {
  it('goes to another node each time', async () => {
    const { node, pass, submit } = open()
    node.byName = new Map<string, BroadcastOutcome>([
      ['first', { kind: 'taken' }],
      ['second', { kind: 'unanswered', text: 'it hangs' }],
      ['third', { kind: 'known' }],
    ])
    await submit(0n)
    for (const milliseconds of [31_000, 2_000, 31_000, 31_000]) await pass(milliseconds)
    expect(node.sentTo).toEqual(['first', 'second', 'third', 'first', 'second'])
  })

  it('goes to another node also if the first shows it in its mempool all the time', async () => {
    const { pool, outbox, node, pass, submit } = open()
    node.byName = new Map<string, BroadcastOutcome>([
      ['swallows', { kind: 'taken' }],
      ['second', { kind: 'taken' }],
    ])
    await submit(0n)
    for (let head = 0; head < 7; head++) {
      for (const { id } of pool.pendingOf(address(0))) outbox.markSeen(id)
      await pass(5_000)
    }
    expect(node.sentTo).toEqual(['swallows', 'second'])
  })

  it('is not given up because one node rejects what another one has', async () => {
    const { pool, outbox, node, pass, submit } = open()
    node.byName = new Map<string, BroadcastOutcome>([
      ['first', { kind: 'taken' }],
      ['picky', refused],
    ])
    await submit(0n)
    node.byName.set('first', { kind: 'known' })
    for (let round = 0; round < 40; round++) await pass(31_000)
    expect(pool.counts).toEqual(one)
    expect(outbox.refusals()).toEqual([])
    expect(node.sentTo.filter((name) => name === 'picky')).toHaveLength(1)
  })

  it('is given up if all nodes stay at their rejection, and say between that they saw it', async () => {
    const { pool, node, pass, submit, again } = open()
    node.byName = new Map<string, BroadcastOutcome>([
      ['first', { kind: 'taken' }],
      ['second', refused],
    ])
    await submit(0n)
    node.byName.set('first', refused)
    await again()
    await pass(5_000)
    node.byName.set('first', { kind: 'known' })
    await pass(5_000)
    node.byName.set('first', refused)
    for (let round = 0; round < 14; round++) await pass(6_000)
    expect(pool.counts).toEqual(none)
  })
})

describe('transactions that are given up', () => {
  /** The first of two is given up after three seconds, so that the second one waits behind its nonce. */
  const giveUpFirst = async (changed: Partial<OutboxTimes> = {}) => {
    const opened = open({ refusalMs: 3_000, orphanMs: 10_000, ...changed })
    await opened.submit(0n)
    await opened.submit(1n)
    opened.node.byNonce.set(0n, refused)
    await opened.again()
    for (let refusals = 0; refusals < 3; refusals++) await opened.pass(1_500)
    expect(opened.outbox.refusals()).toMatchObject([{ nonce: 0n, isGivenUp: true }])
    return opened
  }

  it('leave to those behind them the whole time, however late they came', async () => {
    const { pool, outbox, pass, submit } = await giveUpFirst()
    await pass(8_000)
    await submit(5n)
    await submit(6n)
    await pass(2_500)
    expect(outbox.refusals().map(({ nonce }) => nonce)).toEqual([0n, 1n])
    expect(pool.counts).toEqual({ pending: 0, queued: 2 })
    await pass(6_000)
    expect(pool.counts).toEqual({ pending: 0, queued: 2 })
    await pass(4_500)
    expect(pool.counts).toEqual(none)
    expect(outbox.refusals().map(({ nonce }) => nonce)).toEqual([0n, 1n, 5n, 6n])
  })

  it('are reported if a block had their nonce first', async () => {
    const { pool, outbox, node, pass, submit } = open()
    node.answer = { kind: 'full' }
    node.byNonce.set(0n, { kind: 'gap' })
    await submit(0n)
    await submit(1n)
    node.byNonce.set(0n, { kind: 'nonce used' })
    node.nonce = 1n
    await pass(1_500)
    expect(pool.counts).toEqual({ pending: 0, queued: 1 })
    expect(outbox.refusals()).toMatchObject([
      { nonce: 0n, reason: 'nonce too low: next nonce 1, tx nonce 0', isGivenUp: true },
    ])
  })

  it('are reported if their replacement was rejected and they cannot be put back', async () => {
    const { pool, outbox, node, submit } = open()
    await submit(0n)
    node.answer = refused
    node.noReturn = 'the pool is full'
    await submit(0n, { price: 2n })
    expect(pool.counts).toEqual(none)
    expect(outbox.refusals()).toMatchObject([
      { nonce: 0n, reason: expect.stringContaining('the pool is full'), isGivenUp: true },
    ])
  })

  it('are reported only if they were submitted here, and at most 256', async () => {
    const { outbox, node, pass, submit, again } = open({ refusalMs: 3_000, lifetimeMs: 100_000 })
    await submit(0n, { sender: 1_000, isLocal: false })
    for (let sender = 0; sender < 300; sender++) await submit(0n, { sender })
    node.answer = refused
    await again()
    expect(outbox.refusals()).toHaveLength(256)
    await pass(1_500)
    await pass(1_500)
    await pass(1_500)
    expect(outbox.refusals()).toHaveLength(256)
    node.answer = { kind: 'taken' }
    for (let sender = 0; sender < 300; sender++) await submit(0n, { sender })
    expect(outbox.refusals()).toEqual([])
    await pass(200_000)
    expect(outbox.refusals()).toHaveLength(256)
    expect(outbox.refusals().map(({ sender }) => toHex(sender))).not.toContain(toHex(address(1_000)))
  })
})
