import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type JournaledPool, openJournaledPool, statedTransfer } from '../../../test/support/journaledPool.ts'
import { address } from '../../../test/support/pool.ts'
import { defaultPoolSettings, type PoolTransaction } from '../types.ts'

let folder: string
let first: JournaledPool
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-journal-'))
  first = openJournaledPool(join(folder, '0'), {}, () => {})
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const failure = () => {
  throw new Error('ENOSPC')
}

/** Has the journal take some more writes, and then none. */
const failAfter = (writes: number): (() => void) => {
  let left = writes
  const append = first.journal.append.bind(first.journal)
  const spies = [
    vi.spyOn(first.journal, 'append').mockImplementation((...args) => {
      if (left-- <= 0) failure()
      append(...args)
    }),
    vi.spyOn(first.journal, 'rewriteSync').mockImplementation(failure),
  ]
  return () => {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Opens the pool of the next process, after this one was killed. */
const restart = async (from = join(folder, '0')): Promise<JournaledPool> => {
  const next = openJournaledPool(from)
  await next.submitter.restore()
  return next
}

const acknowledge = async (...transfer: Parameters<JournaledPool['transferLocal']>): Promise<Uint8Array> => {
  const hash = await first.transferLocal(...transfer)
  if (typeof hash === 'string') throw new Error(hash)
  return hash
}

const has = ({ pool }: JournaledPool, hash: Uint8Array): boolean => pool.get(hash) !== undefined

describe('a journal that cannot be written', () => {
  it('has a send rejected before it is acknowledged, and loses nothing that was', async () => {
    const zero = await acknowledge(1, 0)
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    const mend = failAfter(0)
    expect(await first.transferLocal(1, 1)).toBe('notJournaled')
    expect(await first.transferLocal(2, 0)).toBe('notJournaled')
    expect([first.pending(1), first.pending(2)]).toEqual([[0], []])
    const replacement = await first.submit(statedTransfer(1, 0, 20, 2), true, true)
    expect(replacement.rejection?.kind).toBe('notJournaled')
    expect(has(first, zero)).toBe(true)
    mend()
    expect(await first.transferLocal(1, 1)).toBe('notJournaled')
    // It is tried again each second.
    now.mockReturnValue(2_000)
    const one = await acknowledge(1, 1)
    now.mockRestore()
    const next = await restart()
    expect([has(next, zero), has(next, one)]).toEqual([true, true])
    expect(next.pending(1)).toEqual([0, 1])
  })

  for (const together of [true, false])
    it(`puts back what the rejected one replaced; sent ${together ? 'in one turn' : 'one after the other'}`, async () => {
      await acknowledge(1, 0)
      const kept = await acknowledge(2, 0)
      await acknowledge(2, 1)
      failAfter(1)
      const sends = [() => first.transferLocal(1, 0, 20, 2), () => first.transferLocal(2, 0, 20, 2)] as const
      const answers = together
        ? await Promise.all(sends.map((send) => send()))
        : [await sends[0](), await sends[1]()]
      expect(answers).toEqual([expect.any(Uint8Array), 'notJournaled'])
      for (const pool of [first, await restart()]) {
        expect([pool.pending(1), pool.pending(2), has(pool, kept)]).toEqual([[0], [0, 1], true])
        expect(has(pool, answers[0] as Uint8Array)).toBe(true)
      }
    })

  it('puts back one that is parked', async () => {
    const parked = await acknowledge(1, 0)
    first.state.at(address(1)).balance = 1n
    first.pool.onHead(first.pool.head, { included: [], changed: [address(1)] })
    first.state.at(address(1)).balance = 10n ** 14n
    first.pool.onHead(first.pool.head, { included: [], changed: [address(1)] })
    failAfter(0)
    expect(await first.transferLocal(1, 0, 2, 1)).toBe('notJournaled')
    expect([first.pool.parkedCount, has(first, parked)]).toEqual([1, true])
    expect(has(await restart(), parked)).toBe(true)
  })

  it('acknowledges nothing that replaced nothing because another one of the turn replaced one', async () => {
    await acknowledge(1, 0)
    failAfter(0)
    expect(await Promise.all([first.transferLocal(2, 0), first.transferLocal(1, 0, 20, 2)])).toEqual([
      'notJournaled',
      'notJournaled',
    ])
    expect([first.pending(1), first.pending(2)]).toEqual([[0], []])
  })

  for (const writes of [0, 1])
    it(`acknowledges what is replaced in its own turn only if it is written: ${writes} writes`, async () => {
      failAfter(writes)
      const answers = await Promise.all([first.transferLocal(1, 0), first.transferLocal(1, 0, 20, 2)])
      expect(answers).toEqual([writes === 0 ? 'notJournaled' : expect.any(Uint8Array), 'notJournaled'])
      for (const pool of [first, await restart()]) expect(pool.pending(1)).toEqual(writes === 0 ? [] : [0])
    })

  it('says so also for one that came from elsewhere before, and is not acknowledged by that', async () => {
    const raw = statedTransfer(1, 0)
    await first.submit(raw, false, true)
    const mend = failAfter(0)
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    expect((await first.submit(raw, true, true)).rejection?.kind).toBe('notJournaled')
    expect(first.pool.pendingOf(address(1)).map(({ isLocal }) => isLocal)).toEqual([false])
    mend()
    now.mockReturnValue(2_000)
    expect((await first.submit(raw, true, true)).rejection?.kind).toBe('alreadyKnown')
    now.mockRestore()
    expect((await restart()).pending(1)).toEqual([0])
  })

  it('has what somebody takes out rejected, and what is too old wait, until that is written', async () => {
    const hashes = [await acknowledge(1, 0), await acknowledge(2, 3)]
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    const mend = failAfter(0)
    const takeOut = (hash: Uint8Array): void => first.pool.takeOut([first.pool.get(hash) as PoolTransaction])
    for (const hash of hashes)
      expect(() => takeOut(hash)).toThrow(expect.objectContaining({ kind: 'limit exceeded' }))
    first.clock.now += defaultPoolSettings.pendingLifetime + 1
    first.pool.expire()
    for (const pool of [first, await restart()])
      expect(hashes.map((hash) => has(pool, hash))).toEqual([true, true])
    mend()
    now.mockReturnValue(2_000)
    first.pool.expire()
    now.mockRestore()
    for (const pool of [first, await restart()])
      expect(hashes.map((hash) => has(pool, hash))).toEqual([false, false])
  })

  it('takes out what is asked, in one write', async () => {
    const hashes = [await acknowledge(1, 0), await acknowledge(1, 1), await acknowledge(2, 0)]
    first.pool.takeOut(first.pool.pendingOf(address(1)))
    expect(hashes.map((hash) => has(first, hash))).toEqual([false, false, true])
    first.pool.takeOutAll()
    for (const pool of [first, await restart()]) expect(pool.pool.counts).toEqual({ pending: 0, queued: 0 })
  })

  it('keeps what one from elsewhere replaced until that one is written', async () => {
    const old = await acknowledge(1, 0)
    const mend = failAfter(0)
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
    const { transaction } = await first.submit(statedTransfer(1, 0, 20, 2), false, true)
    expect(has(await restart(), old)).toBe(true)
    mend()
    now.mockReturnValue(2_000)
    await acknowledge(2, 0)
    now.mockRestore()
    const next = await restart()
    expect([has(next, transaction?.hash as Uint8Array), has(next, old)]).toEqual([true, false])
  })
})

it('has at every write one of each nonce that it ever had', async () => {
  const senders = [1, 2, 3]
  for (const sender of senders) await acknowledge(sender, 0)
  const append = first.journal.append.bind(first.journal)
  let copies = 0
  vi.spyOn(first.journal, 'append').mockImplementation((...args) => {
    append(...args)
    cpSync(join(folder, '0'), join(folder, `${++copies}`), { recursive: true })
  })
  await Promise.all(senders.map((sender) => first.transferLocal(sender, 0, 20, 2)))
  expect(copies).toBe(3)
  for (let copy = 1; copy <= copies; copy++) {
    const next = await restart(join(folder, `${copy}`))
    expect(senders.map((sender) => next.pending(sender))).toEqual([[0], [0], [0]])
  }
})
