import assert from 'node:assert/strict'
import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { RLP } from '@ethereumjs/rlp'
import { bytesToHex, hexToBytes, type PrefixedHexString } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { Transaction } from 'ethers'
import type { Rpc } from './rpc.ts'

/**
 * Verifies the served blocks: hashes, roots, blooms and indexes are computed again from the JSON alone, with libraries
 * that the node does not use for them. It shares no code with `src/`.
 */

export type Json = Readonly<Record<string, unknown>>

interface BlockJson extends Json {
  readonly hash: string
  readonly number: string
  readonly parentHash: string
  readonly transactions: readonly TransactionJson[]
}

interface TransactionJson extends Json {
  readonly hash: string
  readonly from: string
}

interface LogJson extends Json {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

interface ReceiptJson extends Json {
  readonly logs: readonly LogJson[]
  readonly type: string
  readonly cumulativeGasUsed: string
  readonly logsBloom: string
  readonly status: string
}

const keccak = (bytes: Uint8Array): string => bytesToHex(keccak_256(bytes))
const bytes = (hex: string): Uint8Array => hexToBytes(hex as PrefixedHexString)
/** Converts a QUANTITY to its bytes in RLP: no leading zeros, and zero is empty. */
const integer = (quantity: string): Uint8Array => {
  const digits = BigInt(quantity) === 0n ? '' : BigInt(quantity).toString(16)
  return bytes(`0x${digits.length % 2 === 1 ? '0' : ''}${digits}`)
}

const headerMembers = [
  ['parentHash', bytes],
  ['sha3Uncles', bytes],
  ['miner', bytes],
  ['stateRoot', bytes],
  ['transactionsRoot', bytes],
  ['receiptsRoot', bytes],
  ['logsBloom', bytes],
  ['difficulty', integer],
  ['number', integer],
  ['gasLimit', integer],
  ['gasUsed', integer],
  ['timestamp', integer],
  ['extraData', bytes],
  ['mixHash', bytes],
  ['nonce', bytes],
  ['baseFeePerGas', integer],
  ['withdrawalsRoot', bytes],
  ['blobGasUsed', integer],
  ['excessBlobGas', integer],
  ['parentBeaconBlockRoot', bytes],
  ['requestsHash', bytes],
] as const

export const headerHashOf = (block: Json): string =>
  keccak(
    RLP.encode(
      headerMembers
        .filter(([name]) => block[name] !== undefined)
        .map(([name, encode]) => encode(block[name] as string)),
    ),
  )

const rootOf = async (values: readonly Uint8Array[]): Promise<string> => {
  const trie = new MerklePatriciaTrie()
  for (const [index, value] of values.entries()) await trie.put(RLP.encode(index), value)
  return bytesToHex(trie.root())
}

const bloomOf = (logs: readonly LogJson[]): string => {
  const bloom = new Uint8Array(256)
  for (const entry of logs.flatMap(({ address, topics }) => [address, ...topics])) {
    const hash = keccak_256(bytes(entry))
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047
      const index = 255 - (bit >> 3)
      bloom[index] = (bloom[index] as number) | (1 << (bit & 7))
    }
  }
  return bytesToHex(bloom)
}

const receiptRlp = (receipt: ReceiptJson): Uint8Array => {
  const list = RLP.encode([
    integer(receipt.status),
    integer(receipt.cumulativeGasUsed),
    bytes(receipt.logsBloom),
    receipt.logs.map(({ address, topics, data }) => [bytes(address), topics.map(bytes), bytes(data)]),
  ])
  return receipt.type === '0x0' ? list : Buffer.concat([Uint8Array.of(Number(receipt.type)), list])
}

const checkTransaction = async (rpc: Rpc, block: BlockJson, tx: TransactionJson, index: number) => {
  assert.equal(tx.blockHash, block.hash, 'blockHash of a transaction')
  assert.equal(tx.blockNumber, block.number)
  assert.equal(Number(tx.transactionIndex), index, 'transactionIndex is dense')
  const raw = await rpc<string>('eth_getRawTransactionByHash', tx.hash)
  assert.equal(keccak(bytes(raw)), tx.hash, 'the hash of the raw transaction')
  const parsed = Transaction.from(raw)
  assert.equal(parsed.from?.toLowerCase(), tx.from, 'the sender')
  assert.equal(parsed.to?.toLowerCase() ?? null, tx.to)
  assert.equal(BigInt(parsed.nonce), BigInt(tx.nonce as string))
  assert.equal(parsed.value, BigInt(tx.value as string))
  assert.equal(parsed.data, tx.input)
  assert.equal(parsed.type, Number(tx.type))
  assert.deepEqual(await rpc('eth_getTransactionByHash', tx.hash), tx, 'by hash and in the block')
  return bytes(raw)
}

const checkReceipt = async (
  rpc: Rpc,
  block: BlockJson,
  tx: TransactionJson,
  receipt: ReceiptJson,
  before: { readonly gas: bigint; readonly logs: number },
): Promise<void> => {
  assert.deepEqual(await rpc('eth_getTransactionReceipt', tx.hash), receipt, 'by hash and in the block')
  assert.equal(receipt.blockHash, block.hash)
  assert.equal(receipt.transactionHash, tx.hash)
  assert.equal(receipt.transactionIndex, tx.transactionIndex)
  assert.equal(
    BigInt(receipt.cumulativeGasUsed),
    before.gas + BigInt(receipt.gasUsed as string),
    'gas adds up',
  )
  assert.equal(receipt.logsBloom, bloomOf(receipt.logs), 'the bloom of a receipt')
  for (const [index, log] of receipt.logs.entries()) {
    assert.equal(log.blockHash, block.hash)
    assert.equal(log.transactionHash, tx.hash)
    assert.equal(log.transactionIndex, tx.transactionIndex)
    assert.equal(Number(log.logIndex), before.logs + index, 'logIndex is dense')
    assert.equal(log.removed, false)
  }
}

/** Verifies a block and returns it; throws an error that says what does not match. */
export const verifyBlock = async (rpc: Rpc, number: number): Promise<BlockJson> => {
  const tag = `0x${number.toString(16)}`
  const block = await rpc<BlockJson>('eth_getBlockByNumber', tag, true)
  assert.equal(Number(block.number), number)
  assert.equal(headerHashOf(block), block.hash, `the hash of block ${number}`)
  assert.deepEqual(await rpc('eth_getBlockByHash', block.hash, true), block, 'by hash and by number')
  const brief = await rpc<BlockJson>('eth_getBlockByNumber', tag, false)
  assert.deepEqual(brief, { ...block, transactions: block.transactions.map(({ hash }) => hash) })
  if (number > 0) {
    const parent = await rpc<BlockJson>('eth_getBlockByNumber', `0x${(number - 1).toString(16)}`, false)
    assert.equal(block.parentHash, parent.hash, 'the link to the parent')
  }
  const receipts = await rpc<readonly ReceiptJson[]>('eth_getBlockReceipts', tag)
  assert.equal(receipts.length, block.transactions.length, 'a receipt for each transaction')
  const raws: Uint8Array[] = []
  let before = { gas: 0n, logs: 0 }
  for (const [index, tx] of block.transactions.entries()) {
    const receipt = receipts[index] as ReceiptJson
    raws.push(await checkTransaction(rpc, block, tx, index))
    await checkReceipt(rpc, block, tx, receipt, before)
    before = { gas: BigInt(receipt.cumulativeGasUsed), logs: before.logs + receipt.logs.length }
  }
  assert.equal(BigInt(block.gasUsed as string), before.gas, 'the gas of a block')
  assert.equal(await rootOf(raws), block.transactionsRoot, 'transactionsRoot')
  assert.equal(await rootOf(receipts.map(receiptRlp)), block.receiptsRoot, 'receiptsRoot')
  assert.equal(bloomOf(receipts.flatMap(({ logs }) => logs)), block.logsBloom, 'the bloom of a block')
  return block
}
