import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Chain } from '../../chain/port/chain.ts'
import type { HeadChange } from '../../chain/port/events.ts'
import { paintIf } from '../output/paint.ts'
import { showHeads } from './headLines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const setUp = () => {
  const facts = { text: '', reads: 0, listeners: 0 }
  let listener: ((change: HeadChange) => void) | undefined
  const chain = {
    events: {
      onHead: (given: (change: HeadChange) => void) => {
        listener = given
        facts.listeners++
        return () => void facts.listeners--
      },
    },
    blocks: {
      header: (number: number) => {
        facts.reads++
        return { number: BigInt(number), timestamp: 0n, gasUsed: 0n }
      },
      transactionCount: () => 0,
    },
  } as unknown as Chain // the parts that are used
  const write = (text: string): void => {
    facts.text += text
  }
  const end = showHeads(chain, write, paintIf(false), () => true)
  return { facts, end, extend: (to: number) => listener?.({ kind: 'extended', from: to, to }) }
}

test('blocks that come fast share a line', () => {
  const { facts, extend } = setUp()
  for (const number of [1, 2, 3]) extend(number)
  vi.advanceTimersByTime(2000)
  expect(facts.text).toMatch(/^block {2}1 .*\nblock {2}3 .*, 2 blocks further\n$/)
})

test('nothing is read after the end, not even for a line that waits', () => {
  const { facts, end, extend } = setUp()
  extend(1)
  extend(2)
  end()
  vi.advanceTimersByTime(2000)
  expect(facts).toMatchObject({ reads: 1, listeners: 0 })
})
