import { LRUCache } from 'lru-cache'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { assertItemCount, decodeRlp, encodeRlp, type RlpItem } from '../../base/encoding/rlp.ts'
import { type Block, bodyRoots, decodeBlock, encodeBlock } from '../../chain/block/block.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import { decodeReceipt, type Receipt } from '../../chain/block/receipt.ts'
import { emptyTrieRoot, listRoot } from '../../chain/block/trieRoot.ts'
import { blobParametersAt, type ChainConfig } from '../../chain/config/chainConfig.ts'
import { blobBaseFee, gasPerBlob } from '../../chain/fees/blobGas.ts'
import { effectiveGasPrice } from '../../chain/fees/effectiveGasPrice.ts'
import { blockJsonFrame } from '../../chain/json/blockJson.ts'
import { receiptJson } from '../../chain/json/receiptJson.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/transaction.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { askProven } from '../endpoints/endpoints.ts'
import { type ProvenHeader, parseData, parseDataList, parseMembers } from './answers.ts'

/** A transaction of a proven block. */
export interface ProvenTransaction {
  readonly transaction: Transaction
  readonly raw: Uint8Array
  readonly hash: Uint8Array
  readonly sender: Uint8Array
}

/** A block whose transactions are those of its header. */
export interface ProvenBlock extends ProvenHeader {
  readonly body: Omit<Block, 'header' | 'transactions'>
  readonly transactions: readonly ProvenTransaction[]
  /** The length of its encoding. */
  readonly size: number
}

const keptBytes = 32 * 2 ** 20

/** Transactions and receipts of proven headers, by their roots. */
export class ProvenBlocks {
  readonly #blocks = new LRUCache<string, ProvenBlock>({
    maxSize: keptBytes,
    sizeCalculation: ({ size }) => 4 * size + 1_000,
  })
  readonly #receipts = new LRUCache<string, readonly Receipt[]>({
    maxSize: keptBytes,
    sizeCalculation: (receipts) => receipts.reduce((sum, { logs }) => sum + 600 + 300 * logs.length, 100),
  })

  async block(endpoint: Endpoint, header: ProvenHeader): Promise<ProvenBlock> {
    const id = toHex(header.hash)
    const known = this.#blocks.get(id)
    if (known !== undefined) return known
    const block =
      emptyBlock(header) ??
      (await askProven(endpoint, 'perihelion_proofs', questionOf(header, 'block'), (answer) =>
        proveBlock(header, parseData(parseMembers(answer, 'proofs').block, 'block')),
      ))
    this.#blocks.set(id, block)
    return block
  }

  async receipts(endpoint: Endpoint, header: ProvenHeader): Promise<readonly Receipt[]> {
    if (equalBytes(header.header.receiptsRoot, emptyTrieRoot)) return []
    const id = toHex(header.hash)
    const known = this.#receipts.get(id)
    if (known !== undefined) return known
    const receipts = await askProven(
      endpoint,
      'perihelion_proofs',
      questionOf(header, 'receipts'),
      (answer) => {
        const encoded = parseDataList(parseMembers(answer, 'proofs').receipts, 'receipts')
        if (!equalBytes(listRoot(encoded), header.header.receiptsRoot))
          throw new UpstreamError(`the receipts of block ${header.header.number} do not match its header`)
        return encoded.map(decodeReceipt)
      },
    )
    this.#receipts.set(id, receipts)
    return receipts
  }
}

/** Returns a block whose header says that it is empty, as most are on a quiet chain; undefined for others. */
const emptyBlock = (proven: ProvenHeader): ProvenBlock | undefined => {
  const { header } = proven
  const body = { ommers: [], withdrawals: header.withdrawalsRoot === undefined ? undefined : [] }
  const transactions: readonly [] = []
  return isBodyOf(header, { transactions, ...body })
    ? { ...proven, body, transactions, size: encodeBlock({ header, transactions, ...body }).length }
    : undefined
}

const isBodyOf = (header: Header, body: Omit<Block, 'header'>): boolean => {
  const roots = bodyRoots(body)
  return (
    equalBytes(roots.transactionsRoot, header.transactionsRoot) &&
    equalBytes(roots.ommersHash, header.ommersHash) &&
    (roots.withdrawalsRoot === undefined
      ? header.withdrawalsRoot === undefined
      : header.withdrawalsRoot !== undefined && equalBytes(roots.withdrawalsRoot, header.withdrawalsRoot))
  )
}

const questionOf = ({ header }: ProvenHeader, what: 'block' | 'receipts') => [
  { [what]: true },
  toQuantity(header.number),
]

/** How many items a block's list may have at least, and one more for so much gas: a transaction has about ten, and takes 21,000. */
const fewItems = 10_000
const gasPerItem = 1_000n

/**
 * Throws unless the encoding has the header and the transactions of a proven one. Only then are transactions decoded: each of
 * those an endpoint makes up could be of millions of items, which take a hundred times their bytes.
 */
const assertEncoding = ({ header, rlp: headerRlp }: ProvenHeader, rlp: Uint8Array): void => {
  assertItemCount(rlp, fewItems + Number(header.gasUsed / gasPerItem))
  const [first, transactions] = decodeRlp(rlp) as readonly (RlpItem | undefined)[] // bytes have no such members
  if (!Array.isArray(first) || !equalBytes(encodeRlp(first), headerRlp))
    throw new UpstreamError(`block ${header.number} has another header`)
  const raw = (Array.isArray(transactions) ? (transactions as readonly RlpItem[]) : []).map((item) =>
    item instanceof Uint8Array ? item : encodeRlp(item),
  )
  if (!equalBytes(listRoot(raw), header.transactionsRoot))
    throw new UpstreamError(`block ${header.number} has other transactions than its header`)
}

export const proveBlock = (proven: ProvenHeader, rlp: Uint8Array): ProvenBlock => {
  assertEncoding(proven, rlp)
  const { header, transactions, ...body } = decode(rlp)
  if (!isBodyOf(header, { transactions, ...body }))
    throw new UpstreamError(`block ${proven.header.number} has other contents than its header`)
  return {
    ...proven,
    body,
    size: rlp.length,
    transactions: transactions.map(({ transaction, raw }) => {
      const sender = recoverSender(transaction, 'homestead')
      if (sender === undefined) throw new UpstreamError('a transaction has no valid signature')
      return { transaction, raw, hash: keccak256(raw), sender }
    }),
  }
}

const decode = (rlp: Uint8Array): Block => {
  try {
    return decodeBlock(rlp)
  } catch (error) {
    if (error instanceof TransactionError) throw new UpstreamError(error.message)
    throw error
  }
}

const inclusionOf = ({ header, hash }: ProvenHeader, index: number) => ({
  blockHash: hash,
  blockNumber: header.number,
  blockTimestamp: header.timestamp,
  baseFeePerGas: header.baseFeePerGas,
  index,
})

/** Returns the JSON of a transaction as nodes have it. */
export const transactionResult = (block: ProvenBlock, index: number): unknown => {
  const found = block.transactions[index]
  return found === undefined
    ? null
    : JSON.parse(transactionJson({ ...found, inclusion: inclusionOf(block, index) }))
}

/** Returns the JSON of a block as nodes have it. */
export const blockResult = (block: ProvenBlock, isFull: boolean): unknown => {
  const { header, hash, size, body, transactions } = block
  const frame = blockJsonFrame({
    header,
    hash,
    size,
    ommerHashes: body.ommers.map(headerHash),
    withdrawals: body.withdrawals,
  })
  const list = transactions.map((one, index) =>
    isFull ? transactionJson({ ...one, inclusion: inclusionOf(block, index) }) : `"${toHex(one.hash)}"`,
  )
  return JSON.parse(frame.open + list.join(',') + frame.close)
}

/** Returns the JSON of all receipts of a block as nodes have them. */
export const receiptResults = (
  block: ProvenBlock,
  receipts: readonly Receipt[],
  config: ChainConfig | undefined,
): readonly ReceiptResult[] => {
  const { header, hash, transactions } = block
  if (receipts.length !== transactions.length)
    throw new UpstreamError(
      `block ${header.number} has ${receipts.length} receipts of ${transactions.length}`,
    )
  let firstLogIndex = 0
  let gasBefore = 0n
  return transactions.map(({ transaction, hash: id, sender }, transactionIndex) => {
    const receipt = receipts[transactionIndex] as Receipt // as many as transactions
    const { text } = receiptJson({
      receipt,
      location: {
        blockHash: hash,
        blockNumber: header.number,
        blockTimestamp: header.timestamp,
        transactionHash: id,
        transactionIndex,
      },
      sender,
      to: transaction.to,
      contractAddress: transaction.to === undefined ? contractAddress(sender, transaction.nonce) : undefined,
      gasUsed: receipt.cumulativeGasUsed - gasBefore,
      effectiveGasPrice: effectiveGasPrice(transaction, header.baseFeePerGas),
      blobs: blobsOf(transaction, header, config),
      firstLogIndex,
    })
    firstLogIndex += receipt.logs.length
    gasBefore = receipt.cumulativeGasUsed
    return JSON.parse(text) as ReceiptResult // written from one
  })
}

export interface ReceiptResult {
  readonly transactionHash: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly logs: readonly LogResult[]
}

export interface LogResult {
  readonly address: string
  readonly topics: readonly string[]
  readonly blockNumber: string
}

const blobsOf = (
  transaction: Transaction,
  { excessBlobGas, timestamp }: ProvenHeader['header'],
  config: ChainConfig | undefined,
) => {
  if (transaction.type !== 3 || config === undefined) return undefined
  const parameters = blobParametersAt(config, timestamp)
  if (excessBlobGas === undefined || parameters === undefined) return undefined
  return {
    gasUsed: BigInt(transaction.blobVersionedHashes.length) * gasPerBlob,
    gasPrice: blobBaseFee(excessBlobGas, parameters),
  }
}
