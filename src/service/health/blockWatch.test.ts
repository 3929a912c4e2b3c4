import { expect, test } from 'vitest'
import type { HeadChange } from '../../chain/port/events.ts'
import { BlockWatch } from './blockWatch.ts'

/** Validators that make a block each second; their clocks are right, and the one here is ahead by `offset` seconds. */
const watchWith = (mode: 'cometbft' | 'embedded', offset: number, headAge = 0) => {
  let nowMs = 0
  let listener: (change: HeadChange) => void = () => {}
  const genesis = 1_000_000
  let head = 10
  const timeOf = (number: number) => genesis - headAge + number - 10
  const watch = new BlockWatch({
    chain: {
      mode,
      head: () => ({ number: head, hash: new Uint8Array(32), time: timeOf(head) }),
      blocks: { header: (number: number) => ({ timestamp: BigInt(timeOf(number)) }) },
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
    block: () => {
      nowMs += 1000
      head++
      listener({ kind: 'extended', from: head, to: head })
    },
  }
}

test('tells for how long no block came, whatever the clock says', () => {
  const { watch, wait, block } = watchWith('cometbft', 3600)
  block()
  expect(watch.secondsSinceBlock()).toBe(0)
  wait(12)
  expect(watch.secondsSinceBlock()).toBe(12)
})

test('a chain that stood before the start stands', () => {
  expect(watchWith('cometbft', 0, 500).watch.secondsSinceBlock()).toBe(500)
  expect(watchWith('embedded', 0, 500).watch.secondsSinceBlock()).toBe(0)
})

test.each([60, -60, 0])('tells that the clock is off by %d seconds', (offset) => {
  const { watch, block } = watchWith('cometbft', offset)
  expect(watch.clockOffset()).toBe(0)
  for (let i = 0; i < 5; i++) block()
  expect(Math.abs(watch.clockOffset() - offset)).toBeLessThanOrEqual(1)
})

test('the clock of a chain whose blocks are made here is right', () => {
  const { watch, block } = watchWith('embedded', 60)
  for (let i = 0; i < 5; i++) block()
  expect(watch.clockOffset()).toBe(0)
})
