import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { encodeRlp, RlpError } from '../../base/encoding/rlp.ts'
import { type Fork, forks } from '../config/forks.ts'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import { type Block, decodeBlock, encodeBlock } from './block.ts'
import { bloomMayContain, createBloom } from './bloom.ts'
import { decodeHeader, encodeHeader, type Header, headerFields } from './header.ts'
import { createReceipt, decodeReceipt, encodeReceipt } from './receipt.ts'
import { requestsHash } from './requestsHash.ts'

const headerAt = (fork: Fork): Header =>
  createDevGenesis({ chainId: 1n, accounts: [], coinbase: new Uint8Array(20), timestamp: 5n, fork }).header(
    new Uint8Array(32).fill(1),
  )

const fieldCounts = { berlin: 15, london: 16, paris: 16, shanghai: 17, cancun: 20, prague: 21, osaka: 21 }

describe('headers', () => {
  test.each(forks)('of %s are decoded as they were encoded', (fork) => {
    const header = headerAt(fork)
    const decoded = decodeHeader(encodeHeader(header))
    expect(toHex(encodeHeader(decoded))).toBe(toHex(encodeHeader(header)))
    for (const name of ['baseFeePerGas', 'withdrawalsRoot', 'excessBlobGas', 'requestsHash'] as const)
      expect(decoded[name]).toEqual(header[name])
  })

  test.each(Object.entries(fieldCounts))('of %s have %d fields', (fork, count) => {
    expect(headerFields(headerAt(fork as Fork)).length).toBe(count)
  })

  test('are rejected with a field too many, too few, too long or with leading zeros', () => {
    const fields = headerFields(headerAt('osaka'))
    const refused = (change: (list: typeof fields) => void): void => {
      const list = [...fields]
      change(list)
      expect(() => decodeHeader(encodeRlp(list))).toThrow(RlpError)
    }
    refused((list) => list.push(new Uint8Array(32)))
    refused((list) => list.pop() && list.pop())
    refused((list) => list.splice(14, list.length))
    refused((list) => list.splice(0, 1, new Uint8Array(31)))
    refused((list) => list.splice(8, 1, Uint8Array.of(0)))
    refused((list) => list.splice(8, 1, new Uint8Array(9).fill(1)))
    refused((list) => list.splice(6, 1, new Uint8Array(255)))
    refused((list) => list.splice(12, 1, []))
    expect(() => decodeHeader(concatBytes(encodeRlp(fields), Uint8Array.of(0)))).toThrow(RlpError)
  })

  test('with a gap among the fields of the forks are not encoded', () => {
    const { withdrawalsRoot: _, ...gap } = headerAt('osaka')
    expect(() => encodeHeader(gap)).toThrow('header has no withdrawalsRoot')
    const { blobGasUsed: __, ...other } = headerAt('cancun')
    expect(() => encodeHeader(other)).toThrow('header has no blobGasUsed')
  })
})

describe('blocks', () => {
  test('keep apart no withdrawals and none yet', () => {
    const block = (fork: Fork, withdrawals: Block['withdrawals']): Block =>
      decodeBlock(encodeBlock({ header: headerAt(fork), transactions: [], ommers: [], withdrawals }))
    expect(block('london', undefined).withdrawals).toBeUndefined()
    expect(block('shanghai', []).withdrawals).toEqual([])
  })

  test('take a legacy transaction as a list alone', () => {
    const legacy = Array.from({ length: 9 }, (_, field) =>
      field === 6 ? Uint8Array.of(27) : new Uint8Array(),
    )
    const header = headerFields(headerAt('london'))
    expect(decodeBlock(encodeRlp([header, [legacy], []])).transactions.length).toBe(1)
    expect(() => decodeBlock(encodeRlp([header, [encodeRlp(legacy)], []]))).toThrow(RlpError)
    expect(() => decodeBlock(encodeRlp([header, [], [], [], []]))).toThrow(RlpError)
  })
})

describe('receipts', () => {
  const log = {
    address: new Uint8Array(20).fill(3),
    topics: [new Uint8Array(32).fill(4)],
    data: Uint8Array.of(5),
  }

  test.each([true, false, new Uint8Array(32).fill(6)])('with outcome %s come back', (outcome) => {
    for (const type of [0, 1, 2, 3, 4] as const) {
      const receipt = createReceipt({ type, outcome, cumulativeGasUsed: 21_000n, logs: [log] })
      expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt)
    }
  })

  test('are rejected with another status or type', () => {
    const encoded = encodeReceipt(createReceipt({ type: 2, outcome: true, cumulativeGasUsed: 1n, logs: [] }))
    expect(() => decodeReceipt(encoded.map((byte, at) => (at === 0 ? 5 : byte)))).toThrow(/type 5/)
    const status = encoded.indexOf(1, 1)
    expect(() => decodeReceipt(encoded.map((byte, at) => (at === status ? 2 : byte)))).toThrow(RlpError)
  })

  test('a bloom holds addresses and topics of its logs', () => {
    const bloom = createBloom([log])
    expect(bloomMayContain(bloom, log.address)).toBe(true)
    expect(bloomMayContain(bloom, log.topics[0] as Uint8Array)).toBe(true)
    expect(bloomMayContain(bloom, new Uint8Array(20).fill(9))).toBe(false)
  })
})

test('requests without data do not count (EIP-7685)', () => {
  const none = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  expect(toHex(requestsHash([]))).toBe(none)
  expect(toHex(requestsHash([Uint8Array.of(0), Uint8Array.of(1)]))).toBe(none)
  expect(toHex(requestsHash([Uint8Array.of(1, 7)]))).not.toBe(none)
})
