import { keccak256 } from '../../src/base/crypto.ts'
import { bodyRoots } from '../../src/chain/block/block.ts'
import { bloomOfLogs, mergeBlooms } from '../../src/chain/block/bloom.ts'
import { type Header, headerHash } from '../../src/chain/block/header.ts'
import type { Log } from '../../src/chain/block/log.ts'
import { createReceipt, type Receipt, receiptsRoot } from '../../src/chain/block/receipt.ts'
import { emptyTrieRoot } from '../../src/chain/block/trieRoot.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type { Transaction, TransactionType } from '../../src/chain/transaction/types.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../src/store/blockRows.ts'

/** Blocks that are well formed in every part but were never executed: for the store, which asks for no more. */

/** A small generator of numbers that gives the same ones for the same seed (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Random = () => number

const below = (random: Random, limit: number): number => Math.floor(random() * limit)

const bytes = (random: Random, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => below(random, 256))

const big = (random: Random, length: number): bigint =>
  BigInt(`0x${Buffer.from(bytes(random, length)).toString('hex') || '0'}`)

export interface BlockShape {
  readonly transactions: number
  /** All five where missing. */
  readonly types?: readonly TransactionType[]
  readonly maxLogs?: number
  readonly maxData?: number
  readonly maxAccessList?: number
  readonly ommers?: number
  readonly withdrawals?: number
}

const randomTransaction = (random: Random, nonce: bigint, shape: BlockShape): Transaction => {
  const types = shape.types ?? [0, 1, 2, 3, 4]
  const type = types[below(random, types.length)] as TransactionType
  const creates = type < 3 && below(random, 8) === 0
  const common = {
    nonce,
    gasLimit: BigInt(21_000 + below(random, 1_000_000)),
    to: creates ? undefined : bytes(random, 20),
    value: big(random, below(random, 12)),
    data: bytes(random, below(random, shape.maxData ?? 100)),
    signature: { yParity: below(random, 2), r: big(random, 32), s: big(random, 32) },
  }
  const accessList = Array.from({ length: below(random, (shape.maxAccessList ?? 2) + 1) }, () => ({
    address: bytes(random, 20),
    storageKeys: Array.from({ length: below(random, 3) }, () => bytes(random, 32)),
  }))
  const chainId = 31_337n
  const gasPrice = 2_000_000_000n + big(random, 2)
  if (type === 0) return { type, chainId: below(random, 2) ? chainId : undefined, gasPrice, ...common }
  if (type === 1) return { type, chainId, gasPrice, accessList, ...common }
  const market = {
    chainId,
    maxFeePerGas: gasPrice,
    maxPriorityFeePerGas: big(random, 3),
    accessList,
    ...common,
  }
  if (type === 2) return { type, ...market }
  if (type === 3)
    return {
      type,
      ...market,
      maxFeePerBlobGas: big(random, 4),
      blobVersionedHashes: Array.from({ length: 1 + below(random, 6) }, () => bytes(random, 32)),
    }
  const authorizations = Array.from({ length: 1 + below(random, 3) }, () => ({
    chainId,
    address: bytes(random, 20),
    nonce: big(random, 3),
    yParity: below(random, 2),
    r: big(random, 32),
    s: big(random, 32),
  }))
  return { type, ...market, authorizations }
}

const randomLog = (random: Random): Log => ({
  address: bytes(random, 20),
  topics: Array.from({ length: below(random, 5) }, () => bytes(random, 32)),
  data: bytes(random, below(random, 64)),
})

/** The first block of a dev chain, its state root made up. */
export const firstBlock = (): ExecutedBlock => {
  const genesis = createDevGenesis({
    chainId: 31_337n,
    accounts: [],
    coinbase: new Uint8Array(20),
    timestamp: 0n,
  })
  const header = genesis.header(emptyTrieRoot)
  return {
    header,
    hash: headerHash(header),
    transactions: [],
    ommers: [],
    withdrawals: [],
    blobGasPrice: 1n,
  }
}

const randomTransactions = (random: Random, height: bigint, shape: BlockShape): ExecutedTransaction[] => {
  let cumulativeGasUsed = 0n
  return Array.from({ length: shape.transactions }, (_, index) => {
    const transaction = randomTransaction(random, height * 100_000n + BigInt(index), shape)
    const raw = encodeTransaction(transaction)
    cumulativeGasUsed += 21_000n + BigInt(below(random, 100_000))
    const logs = Array.from({ length: below(random, (shape.maxLogs ?? 3) + 1) }, () => randomLog(random))
    const receipt = createReceipt({
      type: transaction.type,
      outcome: below(random, 10) > 0,
      cumulativeGasUsed,
      logs,
    })
    return { transaction, raw, hash: keccak256(raw), sender: bytes(random, 20), receipt }
  })
}

export const nextBlock = (parent: ExecutedBlock, random: Random, shape: BlockShape): ExecutedBlock => {
  const number = parent.header.number + 1n
  const transactions = randomTransactions(random, number, shape)
  const receipts: Receipt[] = transactions.map(({ receipt }) => receipt)
  const ommers: Header[] = Array.from({ length: shape.ommers ?? 0 }, () => ({
    ...parent.header,
    extraData: bytes(random, 8),
  }))
  const withdrawals = Array.from({ length: shape.withdrawals ?? 0 }, () => ({
    index: big(random, 4),
    validatorIndex: big(random, 4),
    address: bytes(random, 20),
    amount: big(random, 5),
  }))
  const header: Header = {
    ...parent.header,
    ...bodyRoots({ transactions, ommers, withdrawals }),
    parentHash: parent.hash,
    number,
    timestamp: parent.header.timestamp + 1n,
    gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? 0n,
    receiptsRoot: receiptsRoot(receipts),
    logsBloom: mergeBlooms([...receipts.map(({ logsBloom }) => logsBloom), bloomOfLogs([])]),
    stateRoot: bytes(random, 32),
  }
  return { header, hash: headerHash(header), transactions, ommers, withdrawals, blobGasPrice: 1n }
}

export const createChain = (seed: number, shapes: readonly BlockShape[]): ExecutedBlock[] => {
  const random = createRandom(seed)
  const chain = [firstBlock()]
  for (const shape of shapes) chain.push(nextBlock(chain.at(-1) as ExecutedBlock, random, shape))
  return chain
}
