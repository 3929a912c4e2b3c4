import { beforeEach, expect, test } from 'vitest'
import { firstBlock } from '../../../../test/support/blocks.ts'
import { LowSpaceError } from '../../../base/lmdb/lmdb.ts'
import { createLogger } from '../../../base/logging/log.ts'
import type { DevRecord } from '../../../store/tables/chainMeta.ts'
import { notBeforeParent } from '../../blocks/blockTime.ts'
import { NextBlock } from '../../blocks/nextBlock.ts'
import { BlockClock } from '../blockClock.ts'
import { Sequencer } from '../sequencer.ts'
import { type DevControlDependencies, SoloDevControl } from './devControl.ts'

/** What is left of dev methods that could not be stored, for which there is no space until somebody makes some. */

const nowMs = 1_700_000_000_000
const coinbase = new Uint8Array(20).fill(1)
const other = new Uint8Array(20).fill(2)
const { header } = firstBlock()
const hash = new Uint8Array(32).fill(7)
const unused = async (): Promise<never> => {
  throw new Error('not used')
}

/** The controls over a chain of ten blocks whose store can be full. */
const open = () => {
  const rows = new Map<number, string>()
  const store = { isFull: false, settings: '', rows, height: 9, cleared: 0 }
  const write = async ({ settings, snapshots }: DevRecord): Promise<void> => {
    if (store.isFull) throw new LowSpaceError('here', 0, 1)
    for (const id of snapshots.removed) rows.delete(id)
    for (const { id, text } of snapshots.added) rows.set(id, text)
    store.settings = settings
  }
  const options = { blockTimeMs: undefined, createEmptyBlocks: true, isManual: true }
  const clock = new BlockClock(notBeforeParent)
  const nextBlock = new NextBlock()
  const producer = { coinbase }
  const sequencer = new Sequencer(options, {
    hasTransactions: () => false,
    waiting: () => 0,
    incoming: () => 0,
    produceBlock: unused,
    onUnknownFork: () => {},
    canWrite: () => true,
    isRefusedWrite: () => false,
    log: createLogger('silent'),
  })
  const dependencies = {
    config: { chainId: 31_337n },
    saveDev: write,
    rollbackTo: async (height: number, { dev }: { dev?: DevRecord } = {}) => {
      if (store.isFull) throw new LowSpaceError('here', 0, 1)
      if (dev) await write(dev)
      store.height = height
    },
    pool: { clear: () => store.cleared++ },
    producer,
    blocks: {
      meta: {
        first: () => 0,
        fork: () => undefined,
        oldestBody: () => 0,
        devSettings: () => undefined,
        snapshots: { all: () => [] },
      },
      blockHashAt: () => hash,
      header: () => header,
      isRetained: () => true,
    },
    state: { oldest: 0, newestEdit: () => 0, hasEdit: () => true },
    head: () => ({ header: { ...header, number: BigInt(store.height) }, hash }),
    nextBlock,
    onRulesChanged: () => {},
    releaseWaiters: () => {},
    sequencer,
    hold: sequencer.hold.bind(sequencer),
    clock,
    now: () => nowMs,
  } as unknown as DevControlDependencies // the parts that are used
  const dev = new SoloDevControl(options, dependencies)
  const seen = () => ({
    clock: clock.settings,
    nextTime: clock.nextTime(0, nowMs),
    overrides: nextBlock.overrides,
    coinbase: producer.coinbase,
    snapshots: dev.snapshots(),
    mode: dev.miningMode(),
    stored: { ...store, isFull: false, rows: [...rows] },
  })
  return { dev, store, producer, seen }
}

let chain: ReturnType<typeof open>
const reset = (): Promise<void> => chain.dev.reset({ kind: 'start' }, new AbortController().signal)

beforeEach(async () => {
  chain = open()
  const { dev, producer } = chain
  await dev.increaseTime(50)
  for (let taken = 0; taken < 3; taken++) await dev.snapshot()
  await dev.setNextBlockTime(2_000_000_000)
  await dev.setNextBlock({ baseFee: 5n, prevRandao: hash })
  await dev.setMiningMode({ kind: 'interval', milliseconds: 60_000 })
  producer.coinbase = other
})

const attempts: readonly [string, () => Promise<unknown>][] = [
  ['a snapshot', () => chain.dev.snapshot()],
  ['a revert', () => chain.dev.revert(1)],
  ['a rollback', () => chain.dev.rollback(3)],
  ['a reset', reset],
  ['an increase of the time', () => chain.dev.increaseTime(10)],
  ['an interval', () => chain.dev.setTimestampInterval(3)],
]

test.each(attempts)('%s that cannot be stored changes nothing', async (_, attempt) => {
  const { store, seen } = chain
  const before = seen()
  store.isFull = true
  await expect(attempt()).rejects.toThrow(LowSpaceError)
  expect(seen()).toEqual(before)
})

test('a revert that is tried again succeeds, and the snapshots that are gone are gone from the store', async () => {
  const { dev, store } = chain
  store.isFull = true
  await expect(dev.revert(1)).rejects.toThrow(LowSpaceError)
  store.isFull = false
  expect(await dev.revert(1)).toBe(true)
  expect([...store.rows.keys()]).toEqual([0])
})

test('a snapshot that is tried again is stored', async () => {
  const { dev, store } = chain
  store.isFull = true
  await expect(dev.snapshot()).rejects.toThrow(LowSpaceError)
  store.isFull = false
  expect(await dev.snapshot()).toBe(3)
  expect([...store.rows.keys()]).toEqual([0, 1, 2, 3])
})

test('a reset to the start leaves nothing, and gives no id a second time', async () => {
  await reset()
  expect(chain.seen()).toMatchObject({
    clock: { offset: 0, interval: undefined },
    overrides: {},
    coinbase,
    mode: { kind: 'manual' },
    snapshots: [],
    stored: { height: 0, cleared: 1, rows: [] },
  })
  expect(await chain.dev.snapshot()).toBe(3)
})
