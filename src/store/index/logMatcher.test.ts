import { describe, expect, test } from 'vitest'
import { createLogWriter } from '../../chain/json/logJson.ts'
import { createRowLogMatcher } from './logMatcher.ts'

const bytes = (length: number, value: number): Uint8Array => new Uint8Array(length).fill(value)
const write = createLogWriter({
  blockHash: bytes(32, 1),
  blockNumber: 5n,
  blockTimestamp: 6n,
  transactionHash: bytes(32, 2),
  transactionIndex: 0,
})

/** The log is inside a row, as in a page of receipts. */
const matches = (
  log: { address: Uint8Array; topics: Uint8Array[] },
  addresses: readonly Uint8Array[],
  topics: readonly (readonly Uint8Array[])[],
): boolean => {
  const text = write({ ...log, data: bytes(300, 0x22) }, 7)
  const row = Buffer.from(`,[${text}],"logsBloom":"0x${'0'.repeat(512)}"`, 'latin1')
  return createRowLogMatcher({ addresses, topics })(new DataView(row.buffer, row.byteOffset, row.length), 2)
}

describe('the look at a log', () => {
  const address = bytes(20, 0xab)
  const [a, b, c, d] = [bytes(32, 0x0a), bytes(32, 0xbc), bytes(32, 0xcd), bytes(32, 0xde)]
  const near = Uint8Array.from(a)
  near[0] = 0x0b

  test('addresses', () => {
    const log = { address, topics: [a] }
    expect(matches(log, [], [])).toBe(true)
    expect(matches(log, [address], [])).toBe(true)
    expect(matches(log, [bytes(20, 0xac)], [])).toBe(false)
    expect(matches(log, [bytes(20, 0xac), address], [])).toBe(true)
    expect(matches(log, [bytes(20, 0xac), bytes(20, 0xad)], [])).toBe(false)
  })

  test('topics by position', () => {
    const log = { address, topics: [a, b, c, d] }
    expect(matches(log, [], [[a], [b], [c], [d]])).toBe(true)
    expect(matches(log, [], [[], [], [], [d]])).toBe(true)
    expect(matches(log, [], [[], [], [], [c]])).toBe(false)
    expect(matches(log, [], [[near]])).toBe(false)
    expect(
      matches(
        log,
        [],
        [
          [near, a],
          [c, b],
        ],
      ),
    ).toBe(true)
    expect(matches(log, [], [[b]])).toBe(false)
  })

  test('a log needs as many topics as there are positions', () => {
    for (const count of [0, 1, 2, 3, 4]) {
      const log = { address, topics: [a, b, c, d].slice(0, count) }
      for (const positions of [0, 1, 2, 3, 4])
        expect(
          matches(
            log,
            [],
            Array.from({ length: positions }, () => []),
          ),
        ).toBe(positions <= count)
    }
  })
})
