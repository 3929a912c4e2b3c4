import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { parseDump } from './stateDump.ts'

const compressed = (json: string): Uint8Array => gzipSync(json)

const address = `0x${'aa'.repeat(20)}`
const dumpOf = (account: object): string =>
  JSON.stringify({
    accounts: { [address]: { nonce: 1, balance: '0x1', code: '0x', storage: {}, ...account } },
  })

test('a dump is read, compressed or not', () => {
  const json = dumpOf({ storage: { '0x1': '0x2' } })
  const loaded = parseDump(compressed(json))
  expect(loaded.edits).toMatchObject([{ nonce: 1n, balance: 1n }])
  expect(parseDump(Buffer.from(json))).toEqual(loaded)
})

const limitExceeded = expect.objectContaining({ code: -32005 })

test.each([
  ['objects', `{"accounts":{},"blocks":[${'{},'.repeat(2_000_000)}{}]}`],
  ['lists in lists', '['.repeat(2_000_000)],
  ['bytes', `{"accounts":{},"blocks":["${' '.repeat(65 * 2 ** 20)}"]}`],
])('a small text of too many %s is rejected before it is parsed', (_, json) => {
  expect(() => parseDump(compressed(json))).toThrow(limitExceeded)
})

test('too many slots are rejected before they are decoded', () => {
  const storage = Object.fromEntries(
    Array.from({ length: 150_001 }, (_, slot) => [`0x${slot.toString(16)}`, 'x']),
  )
  expect(() => parseDump(compressed(dumpOf({ storage })))).toThrow(limitExceeded)
})

test('what is wrong is named once, however often it is there', () => {
  const storage = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, slot) => [`0x${slot.toString(16)}`, 'x']),
  )
  try {
    parseDump(compressed(dumpOf({ storage })))
    expect.unreachable()
  } catch (error) {
    expect((error as { issues: unknown[] }).issues).toHaveLength(1)
  }
})

test.each([
  ['nonce', dumpOf({ nonce: `0x1${'0'.repeat(16)}` })],
  ['base fee', JSON.stringify({ accounts: {}, block: { basefee: `0x1${'0'.repeat(16)}` } })],
])('a %s beyond 64 bits is rejected', (_, json) => {
  expect(() => parseDump(compressed(json))).toThrow()
})
