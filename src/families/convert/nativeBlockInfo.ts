import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { NativeBlockReader, type StoredNativeBlock } from '../../store/nativeRows.ts'
import type { TransactionLocation } from '../../store/tables/rowKeys.ts'
import type { NativeBlockInfo, NativeTransactionInfo } from './convertedBlock.ts'

/** The values by which the next header proves a block's results. */
export interface Commitments {
  readonly resultsHash: Uint8Array
  /** The application hash; undefined if this version of CometBFT does not report it, and it is not the block's own hash. */
  readonly appHash: Uint8Array | undefined
}

export interface StoredNativeBlockInfo extends NativeBlockInfo, Commitments {}

/** What is stored of a block apart from its transactions. */
export type NativeBlockSummary = Omit<StoredNativeBlockInfo, 'hash' | 'transactions'>

/** The stored fields of a native transaction. Its hash is stored before the row, for the index. */
interface NativeTransactionRow {
  readonly code?: number
  readonly codespace?: string
  readonly log?: string
  readonly gas: readonly [wanted: string, used: string]
  readonly types?: readonly string[]
  readonly ethereum?: readonly number[]
  readonly events?: NativeTransactionInfo['events']
}

/**
 * The row as JSON: integers that may be large are text, bytes are hex, and default values are omitted. The transactions
 * are last, so that the rest is read without them.
 */
interface NativeBlockRow {
  readonly height: number
  readonly time: readonly [seconds: string, nanos: number]
  readonly proposer: string
  readonly fee?: string
  readonly gas?: string
  readonly maxGas: readonly [now: string, next: string]
  readonly results: string
  readonly app?: string
  readonly transactions?: readonly NativeTransactionRow[]
}

const toTransactionRow = (info: NativeTransactionInfo): NativeTransactionRow => ({
  ...(info.code === 0 ? {} : { code: info.code, codespace: info.codespace }),
  ...(info.log === '' ? {} : { log: info.log }),
  gas: [String(info.gasWanted), String(info.gasUsed)],
  ...(info.types === undefined ? {} : { types: info.types }),
  ...(info.ethereumIndexes.length === 0 ? {} : { ethereum: info.ethereumIndexes }),
  ...(info.events.length === 0 ? {} : { events: info.events }),
})

export const encodeNativeBlockInfo = (
  info: NativeBlockInfo,
  { resultsHash, appHash }: Commitments,
): Uint8Array => {
  const { decimalBaseFee, blockGas, maxGas, nextMaxGas } = info.fees
  const row: NativeBlockRow = {
    height: info.height,
    time: [String(info.time.seconds), info.time.nanos],
    proposer: toHex(info.proposer),
    ...(decimalBaseFee === undefined ? {} : { fee: String(decimalBaseFee) }),
    ...(blockGas === undefined ? {} : { gas: String(blockGas) }),
    maxGas: [String(maxGas), String(nextMaxGas)],
    results: toHex(resultsHash),
    ...(appHash === undefined ? {} : { app: toHex(appHash) }),
    ...(info.transactions.length === 0 ? {} : { transactions: info.transactions.map(toTransactionRow) }),
  }
  return Buffer.from(JSON.stringify(row))
}

const maybeBig = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : BigInt(text)

const fromTransactionRow = (row: NativeTransactionRow, hash: Uint8Array): NativeTransactionInfo => ({
  hash,
  code: row.code ?? 0,
  codespace: row.codespace ?? '',
  log: row.log ?? '',
  gasWanted: BigInt(row.gas[0]),
  gasUsed: BigInt(row.gas[1]),
  types: row.types,
  ethereumIndexes: row.ethereum ?? [],
  events: row.events ?? [],
})

const toSummary = (row: NativeBlockRow): NativeBlockSummary => ({
  height: row.height,
  time: { seconds: BigInt(row.time[0]), nanos: row.time[1] },
  proposer: fromHex(row.proposer),
  fees: {
    decimalBaseFee: maybeBig(row.fee),
    blockGas: maybeBig(row.gas),
    maxGas: BigInt(row.maxGas[0]),
    nextMaxGas: BigInt(row.maxGas[1]),
  },
  resultsHash: fromHex(row.results),
  appHash: row.app === undefined ? undefined : fromHex(row.app),
})

const parseRow = (text: string): NativeBlockRow => JSON.parse(text) as NativeBlockRow // written by encodeNativeBlockInfo

/** Parses the native information of a block as it is stored. */
export const parseNativeBlockInfo = (stored: StoredNativeBlock): StoredNativeBlockInfo => {
  const row = parseRow(Buffer.from(stored.info).toString())
  const { transactions = [] } = row
  return {
    ...toSummary(row),
    hash: stored.hash,
    transactions: stored.transactions.map(
      (hash, index) => fromTransactionRow(transactions[index] as NativeTransactionRow, hash), // there is one for each hash
    ),
  }
}

/** Where the transactions begin: no value before them has quotes within it. */
const transactionsMark = Buffer.from(',"transactions":')
const closingBrace = '}'.charCodeAt(0)

/** Reads the native information that is stored beside the converted blocks. */
export class NativeBlockInfoReader {
  readonly #reader: NativeBlockReader

  constructor(environment: LmdbEnvironment) {
    this.#reader = new NativeBlockReader(environment)
  }

  /**
   * Returns the native information of a block; undefined if it is not kept, or if the block is not from a native one.
   */
  at(number: number): StoredNativeBlockInfo | undefined {
    const stored = this.#reader.block(number)
    if (!stored || stored.info.length === 0) return undefined
    return parseNativeBlockInfo(stored)
  }

  /**
   * Returns what `at` does apart from the transactions, which are read with the row and not decoded: calls and prices need
   * it each time.
   */
  summaryAt(number: number): NativeBlockSummary | undefined {
    const text = this.#reader.infoBefore(number, transactionsMark)
    if (!text || text.length === 0) return undefined
    const isWhole = text.at(-1) === closingBrace
    return toSummary(parseRow(`${Buffer.from(text).toString()}${isWhole ? '' : '}'}`))
  }

  /** Returns CometBFT's hash of a block, even if its body is pruned. */
  nativeHashAt(number: number): Uint8Array | undefined {
    return this.#reader.hashAt(number)
  }

  /** Returns the number of the block that was converted from the native block with this hash. */
  numberOf(nativeHash: Uint8Array): number | undefined {
    return this.#reader.numberOf(nativeHash)
  }

  /** Returns the block number of a native transaction and its index in the native block. */
  locate(nativeHash: Uint8Array): TransactionLocation | undefined {
    return this.#reader.locate(nativeHash)
  }
}
