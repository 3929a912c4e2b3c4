import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { bodyRoots } from '../../src/chain/block/block.ts'
import { createBloom, mergeBlooms } from '../../src/chain/block/bloom.ts'
import { type Header, headerHash } from '../../src/chain/block/header.ts'
import { createReceipt, type Receipt, receiptsRoot } from '../../src/chain/block/receipt.ts'
import type { Log } from '../../src/chain/block/receiptLog.ts'
import { emptyTrieRoot } from '../../src/chain/block/trieRoot.ts'
import { createDevGenesis } from '../../src/chain/genesis/devGenesis.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import type { Transaction, TransactionType } from '../../src/chain/transaction/transaction.ts'
import type { ExecutedBlock, ExecutedTransaction } from '../../src/store/blockRows.ts'
import { createRandom, type Random } from './random.ts'

/** Well-formed blocks that were never executed, which is enough for the store. */

const big = (random: Random, length: number): bigint =>
  BigInt(`0x${Buffer.from(random.bytes(length)).toString('hex') || '0'}`)

export interface BlockShape {
  readonly transactions: number
  /** All five if undefined. */
  readonly types?: readonly TransactionType[]
  readonly maxLogs?: number
  readonly maxData?: number
  readonly maxAccessList?: number
  readonly ommers?: number
  readonly withdrawals?: number
}

const randomTransaction = (random: Random, nonce: bigint, shape: BlockShape): Transaction => {
  const types = shape.types ?? [0, 1, 2, 3, 4]
  const type = types[random.below(types.length)] as TransactionType
  const creates = type < 3 && random.below(8) === 0
  const common = {
    nonce,
    gasLimit: BigInt(21_000 + random.below(1_000_000)),
    to: creates ? undefined : random.bytes(20),
    value: big(random, random.below(12)),
    data: random.bytes(random.below(shape.maxData ?? 100)),
    signature: { yParity: random.below(2), r: big(random, 32), s: big(random, 32) },
  }
  const accessList = Array.from({ length: random.below((shape.maxAccessList ?? 2) + 1) }, () => ({
    address: random.bytes(20),
    storageKeys: Array.from({ length: random.below(3) }, () => random.bytes(32)),
  }))
  const chainId = 31_337n
  const gasPrice = 2_000_000_000n + big(random, 2)
  if (type === 0) return { type, chainId: random.below(2) ? chainId : undefined, gasPrice, ...common }
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
      blobVersionedHashes: Array.from({ length: 1 + random.below(6) }, () => random.bytes(32)),
    }
  const authorizations = Array.from({ length: 1 + random.below(3) }, () => ({
    chainId,
    address: random.bytes(20),
    nonce: big(random, 3),
    yParity: random.below(2),
    r: big(random, 32),
    s: big(random, 32),
  }))
  return { type, ...market, authorizations }
}

const randomLog = (random: Random): Log => ({
  address: random.bytes(20),
  topics: Array.from({ length: random.below(5) }, () => random.bytes(32)),
  data: random.bytes(random.below(64)),
})

/** Returns the first block of a dev chain, with an invented state root. */
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
    cumulativeGasUsed += 21_000n + BigInt(random.below(100_000))
    const logs = Array.from({ length: random.below((shape.maxLogs ?? 3) + 1) }, () => randomLog(random))
    const receipt = createReceipt({
      type: transaction.type,
      outcome: random.below(10) > 0,
      cumulativeGasUsed,
      logs,
    })
    return { transaction, raw, hash: keccak256(raw), sender: random.bytes(20), receipt }
  })
}

export const nextBlock = (parent: ExecutedBlock, random: Random, shape: BlockShape): ExecutedBlock => {
  const number = parent.header.number + 1n
  const transactions = randomTransactions(random, number, shape)
  const receipts: Receipt[] = transactions.map(({ receipt }) => receipt)
  const ommers: Header[] = Array.from({ length: shape.ommers ?? 0 }, () => ({
    ...parent.header,
    extraData: random.bytes(8),
  }))
  const withdrawals = Array.from({ length: shape.withdrawals ?? 0 }, () => ({
    index: big(random, 4),
    validatorIndex: big(random, 4),
    address: random.bytes(20),
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
    logsBloom: mergeBlooms([...receipts.map(({ logsBloom }) => logsBloom), createBloom([])]),
    stateRoot: random.bytes(32),
  }
  return { header, hash: headerHash(header), transactions, ommers, withdrawals, blobGasPrice: 1n }
}

export const createChain = (seed: number, shapes: readonly BlockShape[]): ExecutedBlock[] => {
  const random = createRandom(seed)
  const chain = [firstBlock()]
  for (const shape of shapes) chain.push(nextBlock(chain.at(-1) as ExecutedBlock, random, shape))
  return chain
}
