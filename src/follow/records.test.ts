import { describe, expect, test } from 'vitest'
import type { BlockTexts } from './blockBatch.ts'
import { addRecords, createRecordLines, recordKinds } from './records.ts'

type Json = Readonly<Record<string, unknown>>

const block = {
  number: '0x5',
  hash: '0xaa',
  transactions: [
    { hash: '0x01', accessList: [{ address: '0xcc', storageKeys: ['0x1'] }], blockTimestamp: '0x63' },
    { hash: '0x02', to: null, nested: { blockTimestamp: '0x1' } },
    {},
  ],
  parentHash: '0xab',
  timestamp: '0x63',
  withdrawals: [],
}
const receipts = [
  { logs: [{ topics: ['0x1', '0x2'] }, { data: '0x', blockTimestamp: '0x63' }], transactionHash: '0x01' },
  { transactionHash: '0x02', logs: [], type: '0x2' },
  { transactionHash: '0x03', error: 'a "word" \\ {[ \u00e4', logs: [{ x: 1 }] },
  { logs: [] },
]
const traces = [
  { txHash: '0x01', result: { type: 'CALL', calls: [{ type: 'CALL' }] } },
  { result: null, txHash: '0x02' },
  { txHash: '0x03', error: 'timed out' },
]

/** The records as they are when values are made of the texts. */
const expected = (): Record<string, Json[]> => {
  const { transactions, ...header } = block
  const time = { blockTimestamp: block.timestamp }
  return {
    block: [{ record: 'block', ...header, transactionCount: '0x3' }],
    transaction: transactions.map((fields) => ({ record: 'transaction', ...fields, ...time })),
    receipt: receipts.map(({ logs: _, ...fields }) => ({ record: 'receipt', ...fields, ...time })),
    log: receipts.flatMap(({ logs }) => logs.map((fields) => ({ record: 'log', ...fields, ...time }))),
    trace: traces.map(({ txHash, result }, index) => ({
      ...{ record: 'trace', blockNumber: '0x5', blockHash: '0xaa', ...time, transactionHash: txHash },
      ...{ transactionIndex: `0x${index}`, ...(result !== undefined && { trace: result }) },
    })),
  }
}

const toTexts = (blanks?: number): BlockTexts => {
  const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value, undefined, blanks))
  return { block: encode(block), receipts: encode(receipts), traces: encode(traces) }
}

const parseLines = (bytes: Buffer): Json[] =>
  bytes
    .toString()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Json)

describe('addRecords', () => {
  test.each([
    ['without blanks', undefined],
    ['with blanks and line breaks', 2],
  ])('copies each record of a block, from text %s', (_, blanks) => {
    const lines = createRecordLines()
    const facts = addRecords(toTexts(blanks), lines)
    expect(facts).toEqual({ hash: '0xaa', parentHash: '0xab', transactions: 3 })
    for (const kind of recordKinds) expect(parseLines(lines[kind].bytes), kind).toEqual(expected()[kind])
  })

  test('the members are in the order of the node, and the time is said once', () => {
    const lines = createRecordLines()
    addRecords(toTexts(), lines)
    const [first = '', second = '', third = ''] = lines.transaction.bytes.toString().split('\n')
    expect(first.match(/blockTimestamp/g)).toHaveLength(1)
    expect(second).toBe(
      '{"record":"transaction","hash":"0x02","to":null,"nested":{"blockTimestamp":"0x1"},"blockTimestamp":"0x63"}',
    )
    expect(third).toBe('{"record":"transaction","blockTimestamp":"0x63"}')
    expect(lines.receipt.bytes.toString().split('\n')[1]).toBe(
      '{"record":"receipt","transactionHash":"0x02","type":"0x2","blockTimestamp":"0x63"}',
    )
  })

  test('the lines of several blocks are told apart, however many they are', () => {
    const lines = createRecordLines()
    for (let count = 0; count < 300; count++) addRecords(toTexts(), lines)
    for (const kind of recordKinds) {
      expect(parseLines(lines[kind].ofBlock(0)), kind).toEqual(expected()[kind])
      expect(parseLines(lines[kind].ofBlock(299)), kind).toEqual(expected()[kind])
      expect(parseLines(lines[kind].bytes)).toHaveLength(300 * (expected()[kind]?.length ?? 0))
    }
  })

  test.each([
    ['a text that ends early', { receipts: Buffer.from('[{"logs":[]') }],
    ['a list in place of a block', { block: Buffer.from('[]') }],
    ['a block without a hash', { block: Buffer.from('{"number":"0x1","transactions":[]}') }],
    ['an invalid hash', { block: Buffer.from(JSON.stringify({ ...block, hash: 7 })) }],
    ['traces that are not a list', { traces: Buffer.from('{}') }],
  ])('%s leaves no part of a block', (_, wrong) => {
    const lines = createRecordLines()
    expect(() => addRecords({ ...toTexts(), ...wrong }, lines)).toThrow()
    for (const kind of recordKinds) expect(lines[kind].bytes).toHaveLength(0)
  })
})
