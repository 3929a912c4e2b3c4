import { RLP } from '@ethereumjs/rlp'
import { toHex, toQuantity } from '../../../../src/base/encoding/hex.ts'
import { createdAddress } from '../model.ts'
import { type BuiltBlock, receiptsOf } from './buildBlock.ts'
import {
  type EthereumHeader,
  type HeaderShape,
  headerFields,
  noRequests,
  noUncles,
} from './ethereumHeader.ts'
import type { Executed } from './results.ts'
import { effectivePrice } from './signing.ts'
import { bloomOf, emptyRoot, orderedRoot } from './trie.ts'

/**
 * What Ethereum sees of a synthetic block, from the generator's own knowledge of what it put there: nothing here reads
 * the native form, and nothing of the gateway is used.
 */

type Json = Readonly<Record<string, unknown>>

export interface ExpectedBlock {
  readonly block: Json
  readonly transactions: readonly Json[]
  readonly receipts: readonly Json[]
}

const zeroHash = new Uint8Array(32)
/** A limit of -1 is shown as this. */
const noLimit = 0xffff_ffffn

const foreignHeader = ({
  header,
  executed,
  miner,
  gasUsed,
  maxGas,
  fee,
  bloom,
}: BuiltBlock): EthereumHeader => ({
  parentHash: header.lastHash.length === 0 ? zeroHash : header.lastHash,
  miner,
  stateRoot: header.appHash,
  transactionsRoot: orderedRoot(executed.map(({ tx }) => tx.raw)),
  receiptsRoot: orderedRoot(receiptsOf(executed)),
  logsBloom: bloom,
  number: BigInt(header.height),
  gasLimit: maxGas < 0n ? noLimit : maxGas,
  gasUsed,
  timestamp: BigInt(header.time.seconds),
  mixHash: zeroHash,
  baseFee: fee / 10n ** 18n,
})

interface Site {
  readonly hash: string
  readonly number: string
  readonly timestamp: string
  readonly baseFee: bigint | undefined
}

const transactionJson = ({ tx, index }: Executed, { hash, number, timestamp, baseFee }: Site): Json => {
  const accessList = tx.accessList.map(({ address, keys }) => ({
    address: toHex(address),
    storageKeys: keys.map(toHex),
  }))
  const authorizationList = tx.authorizations.map((one) => ({
    chainId: toQuantity(one.chainId),
    address: toHex(one.address),
    nonce: toQuantity(one.nonce),
    yParity: toQuantity(one.yParity),
    r: toQuantity(one.r),
    s: toQuantity(one.s),
  }))
  const fees = {
    maxFeePerGas: toQuantity(tx.maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(tx.maxPriorityFeePerGas),
  }
  return {
    blockHash: hash,
    blockNumber: number,
    blockTimestamp: timestamp,
    from: toHex(tx.from),
    gas: toQuantity(tx.gasLimit),
    gasPrice: toQuantity(effectivePrice(tx, baseFee)),
    ...(tx.type >= 2 ? fees : {}),
    hash: toHex(tx.hash),
    input: toHex(tx.data),
    nonce: toQuantity(tx.nonce),
    to: tx.to === undefined ? null : toHex(tx.to),
    transactionIndex: toQuantity(index),
    value: toQuantity(tx.value),
    type: toQuantity(tx.type),
    ...(tx.type === 0 ? {} : { accessList, yParity: toQuantity(tx.yParity) }),
    ...(tx.chainId === undefined ? {} : { chainId: toQuantity(tx.chainId) }),
    ...(tx.type === 4 ? { authorizationList } : {}),
    v: toQuantity(tx.v),
    r: toQuantity(tx.r),
    s: toQuantity(tx.s),
  }
}

const receiptJson = (executed: Executed, cumulative: bigint, site: Site): Json => {
  const { tx, outcome, index, firstLog } = executed
  const place = {
    blockHash: site.hash,
    blockNumber: site.number,
    transactionHash: toHex(tx.hash),
    transactionIndex: toQuantity(index),
  }
  return {
    ...place,
    contractAddress: tx.to === undefined ? toHex(createdAddress(tx.from, tx.nonce)) : null,
    cumulativeGasUsed: toQuantity(cumulative),
    effectiveGasPrice: toQuantity(effectivePrice(tx, site.baseFee)),
    from: toHex(tx.from),
    gasUsed: toQuantity(outcome.chargedGas),
    logs: outcome.logs.map((log, at) => ({
      ...place,
      address: toHex(log.address),
      topics: log.topics.map(toHex),
      data: toHex(log.data),
      blockTimestamp: site.timestamp,
      logIndex: toQuantity(firstLog + at),
      removed: false,
    })),
    logsBloom: toHex(bloomOf(outcome.logs)),
    status: outcome.success ? '0x1' : '0x0',
    to: tx.to === undefined ? null : toHex(tx.to),
    type: toQuantity(tx.type),
  }
}

/** The length of the block's RLP. */
const sizeOf = (header: EthereumHeader, executed: readonly Executed[], shape: HeaderShape): number => {
  const bodies = executed.map(({ tx }) => (tx.type === 0 ? (RLP.decode(tx.raw) as Uint8Array[]) : tx.raw))
  const withdrawals = shape === 'prague' ? [[]] : []
  return RLP.encode([headerFields(header, shape), bodies, [], ...withdrawals]).length
}

/** What came with Shanghai, Cancun and Prague, where the chain has them. */
const newerFields: Json = {
  withdrawals: [],
  withdrawalsRoot: toHex(emptyRoot),
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
  parentBeaconBlockRoot: toHex(zeroHash),
  requestsHash: toHex(noRequests),
}

/** `shape`: which forks the chain says it has now, at all heights. */
export const expectedBlock = (built: BuiltBlock, shape: HeaderShape): ExpectedBlock => {
  const { executed, own, appHash, hash } = built
  const header = own ?? foreignHeader(built)
  const site: Site = {
    hash: toHex(own ? appHash : hash),
    number: toQuantity(header.number),
    timestamp: toQuantity(header.timestamp),
    baseFee: header.baseFee,
  }
  const transactions = executed.map((one) => transactionJson(one, site))
  let cumulative = 0n
  const receipts = executed.map((one) => {
    cumulative += one.outcome.chargedGas
    return receiptJson(one, cumulative, site)
  })
  const block = {
    hash: site.hash,
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(noUncles),
    miner: toHex(header.miner),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: '0x0',
    number: site.number,
    gasLimit: toQuantity(header.gasLimit),
    gasUsed: toQuantity(header.gasUsed),
    timestamp: site.timestamp,
    extraData: '0x',
    mixHash: toHex(header.mixHash),
    nonce: '0x0000000000000000',
    ...(header.baseFee === undefined ? {} : { baseFeePerGas: toQuantity(header.baseFee) }),
    size: toQuantity(sizeOf(header, executed, shape)),
    uncles: [],
    transactions,
    ...(shape === 'prague' ? newerFields : {}),
  }
  return { block, transactions, receipts }
}
