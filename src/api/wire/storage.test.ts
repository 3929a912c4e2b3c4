import { describe, expect, test } from 'vitest'
import { StorageKey, StoragePosition } from './storage.ts'

const word = (last: number) => new Uint8Array(32).fill(last, 31)

describe('storage keys', () => {
  test.each([
    ['0x', 0],
    ['0x0', 0],
    ['0x1', 1],
    ['0x00ff', 255],
    ['0x0ff', 255],
    [`0x${'0'.repeat(63)}5`, 5],
  ])('%s', (given, value) => {
    expect(StorageKey.schema.parse(given)).toEqual({ slot: word(value), given })
  })

  test.each([`0x${'0'.repeat(65)}`, '1', '0xg', '', 1, null])('%j is rejected', (given) => {
    expect(StorageKey.schema.safeParse(given).error?.issues[0]?.message).toMatch(/^expected a storage key/)
  })

  test('a position may be a JSON number', () => {
    expect(StoragePosition.schema.parse(255)).toEqual({ slot: word(255), given: '0xff' })
    expect(StoragePosition.schema.parse('0x1')).toEqual({ slot: word(1), given: '0x1' })
    for (const bad of [-1, 1.5, 2 ** 53, `0x${'0'.repeat(65)}`]) {
      expect(StoragePosition.schema.safeParse(bad).error?.issues[0]?.message).toMatch(
        /^expected a storage position/,
      )
    }
  })
})
