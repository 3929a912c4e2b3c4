import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toHex } from '../../src/base/encoding/hex.ts'
import { LmdbEnvironment } from '../../src/base/lmdb/lmdb.ts'
import type { Block } from '../../src/chain/block/block.ts'
import { decodeHeader, headerHash } from '../../src/chain/block/header.ts'
import type { Receipt } from '../../src/chain/block/receipt.ts'
import { forkOfHeader } from '../../src/chain/config/chainConfig.ts'
import { receiptFromJson } from '../../src/chain/json/parseReceipt.ts'
import { transactionHash } from '../../src/chain/transaction/encode.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { type ExecutedBlock, encodeBlockRows } from '../../src/store/blockRows.ts'
import { BlockStore } from '../../src/store/blockStore.ts'
import { StoreCheck } from '../../src/store/check/storeCheck.ts'
import { exchanges, hasOfficialChain, officialBlocks, officialGenesis } from './officialChain.ts'
import { executionApisMissing } from './officialSuites.ts'

const resultOf = (method: string, file: string): string =>
  exchanges(method).find((exchange) => exchange.file === `${method}/${file}`)?.result ?? ''

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString()

test('a block that went through the store is served as recorded, byte for byte', async (ctx) => {
  if (!hasOfficialChain) ctx.skip(executionApisMissing)
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-recorded-'))
  const environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
  try {
    const store = new BlockStore(environment)
    const genesis = officialGenesis()
    const [block] = officialBlocks() as [Block]
    const recorded = resultOf('eth_getBlockReceipts', 'get-block-receipts-n.io')
    const receipts = (JSON.parse(recorded) as Parameters<typeof receiptFromJson>[0][]).map(receiptFromJson)
    const first = JSON.parse(resultOf('debug_getRawHeader', 'get-genesis.io')) as string
    const header = decodeHeader(new Uint8Array(Buffer.from(first.slice(2), 'hex')))
    const none = { transactions: [], ommers: [], withdrawals: undefined, blobGasPrice: undefined }
    const executed: ExecutedBlock = {
      ...block,
      hash: headerHash(block.header),
      blobGasPrice: undefined,
      transactions: block.transactions.map(({ transaction, raw }, index) => ({
        transaction,
        raw,
        hash: transactionHash(transaction),
        sender: recoverSender(transaction, forkOfHeader(genesis.config, block.header)) as Uint8Array,
        receipt: receipts[index] as Receipt,
      })),
    }
    const rows = [{ header, hash: headerHash(header), ...none }, executed].map(encodeBlockRows)
    await environment.transact(() => {
      for (const row of rows) {
        if (row.number === 0) store.initialize(row, '{}')
        else store.write(row)
      }
    })
    expect(text(store.blockJson(1, true))).toBe(resultOf('eth_getBlockByHash', 'get-block-by-hash.io'))
    expect(text(store.receiptsJson(1))).toBe(recorded)
    expect(text(store.receiptsJson(0))).toBe('[]')
    expect(text(store.transactionJson(1, 0))).toBe(
      resultOf('eth_getTransactionByBlockNumberAndIndex', 'get-block-n.io'),
    )
    expect(text(store.receiptJson(1, 0))).toBe(resultOf('eth_getTransactionReceipt', 'get-legacy-input.io'))
    expect(JSON.stringify(toHex(store.blockRlp(0) as Uint8Array))).toBe(
      resultOf('debug_getRawBlock', 'get-genesis.io'),
    )
    expect([...new StoreCheck(store, environment).run()]).toEqual([])
  } finally {
    await environment.close()
    rmSync(folder, { recursive: true })
  }
})
