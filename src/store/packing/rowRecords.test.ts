import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedTransactions, testSender } from '../../../test/support/arbitraryTransactions.ts'
import { encodeReceiptPage, encodeTextPage } from '../../../test/support/textPages.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { createReceipt, receiptsRoot } from '../../chain/block/receipt.ts'
import { listRoot } from '../../chain/block/trieRoot.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import { type ExecutedBlock, type ExecutedTransaction, toReceiptTexts } from '../blockRows.ts'
import { pageSize } from './pages.ts'
import { bodyRootsOf, encodeBlockPages } from './rowRecords.ts'

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const log = fc.record({
  address: bytes(20),
  topics: fc.array(bytes(32), { maxLength: 4 }),
  data: fc.oneof(fc.uint8Array({ maxLength: 90 }), fc.constant(new Uint8Array(40))),
})
const executed = fc.record({
  signed: signedTransactions,
  sender: fc.oneof(bytes(20), fc.constant(testSender)),
  outcome: fc.oneof(fc.boolean(), bytes(32)),
  gas: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  logs: fc.array(log, { maxLength: 3 }),
})
const price = fc.option(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { nil: undefined })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const { header: genesisHeader } = createDevGenesis({
  ...{ chainId: 1n, accounts: [], coinbase: new Uint8Array(20), timestamp: 1n },
})

const blocks = fc
  .record({
    ...{ hash: bytes(32), number: uint64, timestamp: uint64, baseFeePerGas: price, blobGasPrice: price },
    list: fc.array(executed, { maxLength: 70 }),
  })
  .map(({ hash, number, timestamp, baseFeePerGas, blobGasPrice, list }): ExecutedBlock => {
    let cumulativeGasUsed = 0n
    return {
      header: { ...genesisHeader(new Uint8Array(32)), number, timestamp, baseFeePerGas },
      ...{ hash, blobGasPrice, ommers: [], withdrawals: undefined },
      transactions: list.map(({ signed: { transaction, raw }, sender, outcome, gas, logs }) => {
        cumulativeGasUsed += gas
        const { type } = transaction
        const receipt = createReceipt({ type, outcome, cumulativeGasUsed, logs })
        return { transaction, raw, hash: keccak256(raw), sender, receipt }
      }),
    }
  })

const inPages = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(items.length / pageSize) }, (_, page) =>
    items.slice(page * pageSize, (page + 1) * pageSize),
  )

test('the roots are those of the encoded lists', () => {
  fc.assert(
    fc.property(blocks, ({ transactions }) => {
      const roots = bodyRootsOf(transactions)
      expect(roots.transactionsRoot).toEqual(listRoot(transactions.map(({ raw }) => raw)))
      expect(roots.receiptsRoot).toEqual(receiptsRoot(transactions.map(({ receipt }) => receipt)))
    }),
  )
})

test('the roots of lists of any length', () => {
  const [{ transactions } = { transactions: [] }] = fc.sample(
    blocks.filter(({ transactions: [first] }) => first?.receipt.logs.length === 0),
    1,
  )
  const [entry] = transactions
  for (const length of [0, 1, 2, 16, 17, 127, 128, 129, 255, 256, 257, 300, 1000, 66_000]) {
    const list = Array.from({ length }, () => entry as ExecutedTransaction)
    const roots = bodyRootsOf(list)
    expect(roots.transactionsRoot).toEqual(listRoot(list.map(({ raw }) => raw)))
    expect(roots.receiptsRoot).toEqual(receiptsRoot(list.map(({ receipt }) => receipt)))
  }
})

test('the pages of a block are those of its JSON', () => {
  fc.assert(
    fc.property(blocks, (block) => {
      const { header, hash } = block
      const shared = {
        ...{ blockHash: hash, blockNumber: header.number, blockTimestamp: header.timestamp },
        baseFeePerGas: header.baseFeePerGas,
      }
      const texts = block.transactions.map((transaction, index) =>
        transactionJson({ ...transaction, inclusion: { ...shared, index } }),
      )
      const receipts = toReceiptTexts(block)
      const pages = encodeBlockPages(block)
      expect(pages.transactions).toEqual(inPages(texts).map(encodeTextPage))
      let firstLog = 0
      const receiptPages = inPages(receipts).map((page) => {
        const encoded = encodeReceiptPage(page, firstLog)
        firstLog += page.reduce((sum, { logs }) => sum + logs.length, 0)
        return encoded
      })
      expect(pages.receipts).toEqual(receiptPages)
      expect(pages.logs).toBe(firstLog)
      expect(pages.transactionsLength).toBe(texts.join(',').length)
      expect(pages.receiptsLength).toBe(receipts.map(({ text }) => text).join(',').length)
    }),
    { numRuns: 200 },
  )
})
