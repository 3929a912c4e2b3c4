import { beforeAll, describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { type Block, bodyRoots, encodeBlock } from '../../src/chain/block/block.ts'
import { mergeBlooms } from '../../src/chain/block/bloom.ts'
import { nextDifficulty } from '../../src/chain/block/difficulty.ts'
import { decodeHeader, encodeHeader, type Header, headerHash } from '../../src/chain/block/header.ts'
import {
  createReceipt,
  decodeReceipt,
  encodeReceipt,
  type Receipt,
  receiptsRoot,
} from '../../src/chain/block/receipt.ts'
import { blobParametersAt, forkOfHeader } from '../../src/chain/config/chainConfig.ts'
import { forkId } from '../../src/chain/config/clientConfig.ts'
import { since } from '../../src/chain/config/forks.ts'
import { nextBaseFee } from '../../src/chain/fees/baseFee.ts'
import { blobBaseFee, gasPerBlob, nextExcessBlobGas } from '../../src/chain/fees/blobGas.ts'
import { effectiveGasPrice } from '../../src/chain/fees/effectiveGasPrice.ts'
import type { Genesis } from '../../src/chain/genesis/genesis.ts'
import { blockJsonFrame, transactionHashesJson } from '../../src/chain/json/blockJson.ts'
import { receiptFromJson } from '../../src/chain/json/parseReceipt.ts'
import { receiptJson } from '../../src/chain/json/receiptJson.ts'
import { transactionJson } from '../../src/chain/json/transactionJson.ts'
import { contractAddress } from '../../src/chain/transaction/contractAddress.ts'
import { transactionHash } from '../../src/chain/transaction/encode.ts'
import { decodePooledTransaction } from '../../src/chain/transaction/pooled.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import {
  exchanges,
  hasOfficialChain,
  officialBlockRlps,
  officialBlocks,
  officialGenesis,
} from './officialChain.ts'
import { executionApisMissing } from './officialSuites.ts'

const resultOf = (method: string, file: string): string => {
  const found = exchanges(method).find((exchange) => exchange.file === `${method}/${file}`)
  return found?.result ?? ''
}

const textOf = (json: string): string => JSON.parse(json) as string

describe('the chain of the official suite', () => {
  let genesis: Genesis
  let blocks: Block[]
  let byHash: Map<string, Block>

  beforeAll(() => {
    if (!hasOfficialChain) return
    genesis = officialGenesis()
    blocks = officialBlocks()
    byHash = new Map(blocks.map((block) => [toHex(headerHash(block.header)), block]))
  })

  const headers = (): Header[] => {
    const first = decodeHeader(fromHex(textOf(resultOf('debug_getRawHeader', 'get-genesis.io'))))
    return [first, ...blocks.map(({ header }) => header)]
  }

  const fullTransactions = (block: Block): string[] =>
    block.transactions.map(({ transaction }, index) => {
      const { header } = block
      return transactionJson({
        transaction,
        hash: transactionHash(transaction),
        sender: recoverSender(transaction, forkOfHeader(genesis.config, header)) as Uint8Array,
        inclusion: {
          blockHash: headerHash(header),
          blockNumber: header.number,
          blockTimestamp: header.timestamp,
          baseFeePerGas: header.baseFeePerGas,
          index,
        },
      })
    })

  const blockText = (block: Block, isFull: boolean): string => {
    const { open, close } = blockJsonFrame({
      header: block.header,
      hash: headerHash(block.header),
      size: encodeBlock(block).length,
      ommerHashes: block.ommers.map(headerHash),
      withdrawals: block.withdrawals,
    })
    const hashes = block.transactions.map(({ transaction }) => transactionHash(transaction))
    return open + (isFull ? fullTransactions(block).join(',') : transactionHashesJson(hashes)) + close
  }

  /** A recorded receipt, read into our type and written again from it and its transaction. */
  const rewrite = (members: Record<string, string>, block: Block, before: Receipt[]): string => {
    const { header } = block
    const receipt = receiptFromJson(members as unknown as Parameters<typeof receiptFromJson>[0])
    const index = Number(members.transactionIndex)
    const transaction = block.transactions[index]?.transaction
    if (!transaction) throw new Error(`block ${header.number} has no transaction ${index}`)
    const sender = recoverSender(transaction, forkOfHeader(genesis.config, header)) as Uint8Array
    const parameters = blobParametersAt(genesis.config, header.timestamp)
    expect(toHex(createReceipt(receipt).logsBloom)).toBe(members.logsBloom)
    return receiptJson({
      receipt,
      location: {
        blockHash: headerHash(header),
        blockNumber: header.number,
        blockTimestamp: header.timestamp,
        transactionHash: transactionHash(transaction),
        transactionIndex: index,
      },
      sender,
      to: transaction.to,
      contractAddress: transaction.to ? undefined : contractAddress(sender, transaction.nonce),
      gasUsed: BigInt(members.gasUsed as string),
      effectiveGasPrice: effectiveGasPrice(transaction, header.baseFeePerGas),
      blobs:
        transaction.type === 3 && parameters
          ? {
              gasUsed: gasPerBlob * BigInt(transaction.blobVersionedHashes.length),
              gasPrice: blobBaseFee(header.excessBlobGas ?? 0n, parameters),
            }
          : undefined,
      firstLogIndex: before.reduce((sum, { logs }) => sum + logs.length, 0),
    }).text
  }

  test('the genesis file gives the first header', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const [first] = headers() as [Header]
    expect(genesis.header(first.stateRoot)).toEqual(first)
    expect(toHex(headerHash(first))).toBe(toHex((blocks[0] as Block).header.parentHash))
    const { config } = genesis
    const id = forkId(config, headerHash(first), first.timestamp, { number: 54n, time: 540n })
    expect(toHex(id)).toBe('0xe272ecbe') // eth_config/get-config.io
  })

  test('every block is encoded as it came, and its roots and links are recomputed', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const encoded = officialBlockRlps()
    const chain = headers()
    expect(blocks.length).toBe(54)
    let ommers = 0
    for (const [index, block] of blocks.entries()) {
      const { header } = block
      expect(toHex(encodeBlock(block))).toBe(toHex(encoded[index] as Uint8Array))
      expect(decodeHeader(encodeHeader(header))).toEqual(header)
      expect(header.parentHash).toEqual(headerHash(chain[index] as Header))
      expect(header).toMatchObject(bodyRoots(block))
      ommers += block.ommers.length
    }
    expect(ommers).toBeGreaterThan(0)
    expect(blocks.some(({ withdrawals }) => withdrawals && withdrawals.length > 0)).toBe(true)
  })

  test('base fees, excess blob gas and difficulty follow from the parent', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const chain = headers()
    const { config } = genesis
    for (const [index, header] of chain.entries()) {
      const parent = chain[index - 1]
      if (!parent) continue
      const fork = forkOfHeader(config, header)
      const parameters = blobParametersAt(config, header.timestamp)
      if (since(fork, 'london')) expect(header.baseFeePerGas).toBe(nextBaseFee(parent))
      if (parameters) expect(header.excessBlobGas).toBe(nextExcessBlobGas(parent, fork, parameters))
      expect(header.difficulty).toBe(
        since(fork, 'paris') ? 0n : nextDifficulty(config, fork, parent, header.timestamp),
      )
      expect(header.baseFeePerGas !== undefined).toBe(since(fork, 'london'))
      expect(header.withdrawalsRoot !== undefined).toBe(since(fork, 'shanghai'))
      expect(header.excessBlobGas !== undefined).toBe(since(fork, 'cancun'))
      expect(header.requestsHash !== undefined).toBe(since(fork, 'prague'))
    }
  })

  test('blocks read as recorded, byte for byte', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const recorded = [...exchanges('eth_getBlockByNumber'), ...exchanges('eth_getBlockByHash')]
    const compared = recorded.filter(({ result }) => result !== undefined && result !== 'null')
    expect(compared.length).toBe(6)
    for (const { file, params, result } of compared) {
      const { hash } = JSON.parse(result as string) as { hash: string }
      expect(blockText(byHash.get(hash) as Block, params[1] as boolean), file).toBe(result)
    }
  })

  test('transactions read as recorded, byte for byte', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const types = new Set<string>()
    for (const { file, result } of [
      ...exchanges('eth_getTransactionByHash'),
      ...exchanges('eth_getTransactionByBlockNumberAndIndex'),
    ]) {
      if (result === undefined || result === 'null') continue
      const { blockHash, transactionIndex, type } = JSON.parse(result) as Record<string, string>
      const block = byHash.get(blockHash as string) as Block
      expect(fullTransactions(block)[Number(transactionIndex)], file).toBe(result)
      types.add(type as string)
    }
    expect([...types].sort()).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4'])
  })

  test('transactions of the pool read as recorded, byte for byte', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const [content] = exchanges('txpool_content')
    const { pending } = JSON.parse(content?.result as string) as {
      pending: Record<string, Record<string, { hash: string }>>
    }
    const recorded = new Map(
      Object.values(pending).flatMap((byNonce) =>
        Object.values(byNonce).map((object) => [object.hash, JSON.stringify(object)] as const),
      ),
    )
    let compared = 0
    for (const { file, params } of exchanges('eth_sendRawTransaction')) {
      const { transaction } = decodePooledTransaction(fromHex(params[0] as string))
      const hash = transactionHash(transaction)
      const text = recorded.get(toHex(hash))
      if (text === undefined) continue
      const sender = recoverSender(transaction, 'osaka') as Uint8Array
      expect(transactionJson({ transaction, hash, sender, inclusion: undefined }), file).toBe(text)
      compared++
    }
    expect(compared).toBeGreaterThanOrEqual(3)
  })

  test('receipts read as recorded, byte for byte, and their root is the header’s', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    for (const { file, result } of exchanges('eth_getTransactionReceipt')) {
      if (result === undefined || result === 'null') continue
      const members = JSON.parse(result) as Record<string, string>
      expect(rewrite(members, byHash.get(members.blockHash as string) as Block, []), file).toBe(result)
    }
    for (const { file, result } of exchanges('eth_getBlockReceipts')) {
      if (result === undefined || result === 'null' || result === '[]') continue
      const list = JSON.parse(result) as Record<string, string>[]
      const block = byHash.get(list[0]?.blockHash as string) as Block
      const before: Receipt[] = []
      const texts = list.map((members) => {
        const text = rewrite(members, block, before)
        before.push(receiptFromJson(members as unknown as Parameters<typeof receiptFromJson>[0]))
        return text
      })
      expect(`[${texts.join(',')}]`, file).toBe(result)
      expect(receiptsRoot(before)).toEqual(block.header.receiptsRoot)
      expect(mergeBlooms(before.map(({ logsBloom }) => logsBloom))).toEqual(block.header.logsBloom)
    }
  })

  test('raw receipts, headers and blocks are as recorded', (ctx) => {
    if (!hasOfficialChain) ctx.skip(executionApisMissing)
    const chain = headers()
    for (const { params, result } of exchanges('debug_getRawHeader'))
      expect(toHex(encodeHeader(chain[Number(params[0])] as Header))).toBe(textOf(result as string))
    const rawBlock = textOf(resultOf('debug_getRawBlock', 'get-genesis.io'))
    const first = { header: chain[0] as Header, transactions: [], ommers: [], withdrawals: undefined }
    expect(toHex(encodeBlock(first))).toBe(rawBlock)
    const raws = JSON.parse(resultOf('debug_getRawReceipts', 'get-block-n.io')) as string[]
    const receipts = raws.map((raw) => decodeReceipt(fromHex(raw)))
    expect(receipts.map((receipt) => toHex(encodeReceipt(receipt)))).toEqual(raws)
    expect(receiptsRoot(receipts)).toEqual((chain[3] as Header).receiptsRoot)
    for (const receipt of receipts) expect(createReceipt(receipt)).toEqual(receipt)
  })
})
