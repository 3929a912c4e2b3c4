import { expect, test } from 'vitest'
import type { HeadChange } from '../../chain/port/events.ts'
import { BlockWatch } from './blockWatch.ts'

/** Validators that make a block each second; their clocks are right, and the one here is ahead by `offset` seconds. */
const watchWith = (mode: 'cometbft' | 'embedded', offset: number, headAge = 0) => {
  let nowMs = 0
  let highest = 0
  let listener: (change: HeadChange) => void = () => {}
  const genesis = 1_000_000
  let head = 10
  const timeOf = (number: number) => genesis - headAge + number - 10
  const watch = new BlockWatch({
    chain: {
      mode,
      head: () => ({ number: head, hash: new Uint8Array(32), time: timeOf(head) }),
      blocks: { header: (number: number) => ({ timestamp: BigInt(timeOf(number)) }) },
      network: {
        syncing: async () =>
          highest > head ? { startingBlock: 0, currentBlock: head, highestBlock: highest } : undefined,
      },
      events: {
        onHead: (given: typeof listener) => {
          listener = given
          return () => {}
        },
      },
    } as never, // what it reads
    now: () => nowMs,
    clock: () => (genesis + offset) * 1000 + nowMs,
  })
  return {
    watch,
    wait: (seconds: number) => {
      nowMs += seconds * 1000
    },
    /** The next block: it has the time at which the one before came. */
    block: async (afterMs = 1000) => {
      nowMs += afterMs
      head++
      listener({ kind: 'extended', from: head, to: head })
      await new Promise(setImmediate)
    },
    /** The network has blocks up to this height. */
    setHighest: (height: number) => {
      highest = height
    },
  }
}

test('tells for how long no block came, whatever the clock says', async () => {
  const { watch, wait, block } = watchWith('cometbft', 3600)
  await block()
  expect(watch.secondsSinceBlock()).toBe(0)
  wait(12)
  expect(watch.secondsSinceBlock()).toBe(12)
})

test('a chain that stood before the start stands', () => {
  expect(watchWith('cometbft', 0, 500).watch.secondsSinceBlock()).toBe(500)
  expect(watchWith('embedded', 0, 500).watch.secondsSinceBlock()).toBe(0)
})

test.each([60, -60, 0])('tells that the clock is off by %d seconds', async (offset) => {
  const { watch, block } = watchWith('cometbft', offset)
  expect(watch.clockOffset()).toBe(0)
  for (let i = 0; i < 5; i++) await block()
  expect(Math.abs(watch.clockOffset() - offset)).toBeLessThanOrEqual(1)
})

test('the clock of a chain whose blocks are made here is right', async () => {
  const { watch, block } = watchWith('embedded', 60)
  for (let i = 0; i < 5; i++) await block()
  expect(watch.clockOffset()).toBe(0)
})

const behind = 900

test.each([
  ['fast', 10],
  ['hardly faster than the others make blocks', 900],
])('the clock is not compared with blocks that a node catches up on, %s', async (_, pauseMs) => {
  const { watch, block, setHighest } = watchWith('cometbft', 0, behind)
  setHighest(10 + behind)
  for (let i = 0; i < 20; i++) await block(pauseMs)
  expect(watch.clockOffset()).toBe(0)
})

test('the last blocks of a node that catches up are old too, though it counts as synced', async () => {
  const { watch, block } = watchWith('cometbft', 0, behind)
  for (let i = 0; i < 20; i++) await block(10)
  expect(watch.clockOffset()).toBe(0)
})

test('a clock that is off is found once the node has caught up', async () => {
  const { watch, block, setHighest } = watchWith('cometbft', 60)
  setHighest(20)
  for (let i = 0; i < 20; i++) await block()
  expect(Math.abs(watch.clockOffset() - 60)).toBeLessThanOrEqual(1)
})
