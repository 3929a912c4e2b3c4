import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import type { NativeBlock, NativeBlockResults, NativeResult } from '../../comet/data/nativeBlock.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { codes } from '../../cosmos/codes.ts'
import { ResultError } from '../../cosmos/results/eventLogs.ts'
import { decodeOutcomes, type LogLocation, type MessageOutcome } from '../../cosmos/results/outcomes.ts'
import {
  decodeContents,
  type EthereumMessage,
  type UnwrappedTransaction,
} from '../../cosmos/transaction/contents.ts'
import { nativeHash } from '../../cosmos/transaction/nativeHash.ts'
import type { NativeLocation } from './convertedBlock.ts'

/** The rules of a block by which its transactions are decoded. */
export interface BlockDecoding {
  readonly statusOf: (result: NativeResult) => InclusionStatus
  readonly fork: Fork
  readonly logLocation: LogLocation
}

/** An Ethereum transaction of a block with its outcome. */
export interface ExecutedEthereumTransaction extends EthereumMessage {
  readonly sender: Uint8Array
  readonly location: NativeLocation
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
}

/** A native transaction, its result, and its Ethereum transactions in the block. */
export interface ExecutedNativeTransaction {
  readonly hash: Uint8Array
  readonly result: NativeResult
  readonly contents: UnwrappedTransaction | undefined
  readonly ethereum: readonly ExecutedEthereumTransaction[]
  /**
   * Why its Ethereum messages are not understood: they have a form that is newer than this program. The header of the
   * block proves that the chain has them.
   */
  readonly undecoded: string | undefined
}

/**
 * Whether the messages of a native transaction are in the Ethereum block, and why: `executed`, only `paid` for, or
 * `out`.
 */
export type InclusionStatus = 'executed' | 'paid' | 'out'

/**
 * Returns whether a transaction failed because the block ran out of gas: its fee was taken, and nothing was executed. The
 * code is proven by the next header; the log alone tells it from one that ran out of its own gas, and no hash covers it.
 */
export const ranOutOfBlockGas = ({ code, log }: Pick<NativeResult, 'code' | 'log'>): boolean =>
  code === codes.outOfGas && log.includes('out of gas in location: block gas meter; gasWanted:')

const recoverAndCheckSender = ({ transaction, from, hash }: EthereumMessage, fork: Fork): Uint8Array => {
  const sender = recoverSender(transaction, fork)
  if (sender === undefined) throw new UpstreamError(`transaction ${toHex(hash)} has no valid signature`)
  if (from !== undefined && !equalBytes(sender, from))
    throw new UpstreamError(`transaction ${toHex(hash)} is signed by ${toHex(sender)}, not by ${toHex(from)}`)
  return sender
}

const checkOutcome = ({ hash }: EthereumMessage, outcome: MessageOutcome): void => {
  if (outcome.hash !== '' && outcome.hash.toLowerCase() !== toHex(hash))
    throw new UpstreamError(`the result of transaction ${toHex(hash)} is of another one`)
}

const readOutcomes = (
  result: NativeResult,
  count: number,
  logLocation: LogLocation,
): readonly MessageOutcome[] | undefined => {
  try {
    return decodeOutcomes(result, count, logLocation)
  } catch (error) {
    throw error instanceof ResultError ? new UpstreamError(error.message) : error
  }
}

const toEthereumTransactions = (
  contents: UnwrappedTransaction,
  result: NativeResult,
  location: Omit<NativeLocation, 'messageIndex'>,
  { statusOf, fork, logLocation }: BlockDecoding,
): ExecutedEthereumTransaction[] => {
  const status = statusOf(result)
  if (status === 'out') return []
  const where = `native transaction ${location.nativeIndex}`
  const { ethereum, decodeError } = contents
  if (ethereum.length === 0 || decodeError !== undefined) return []
  const outcomes = status === 'paid' ? undefined : readOutcomes(result, ethereum.length, logLocation)
  if (status === 'executed' && outcomes === undefined)
    throw new UpstreamError(`${where}: its result does not tell of ${ethereum.length} Ethereum transactions`)
  return ethereum.map((message, index) => {
    const outcome = outcomes?.[index]
    if (outcome) checkOutcome(message, outcome)
    const gasUsed = ethereum.length === 1 ? result.gasUsed : outcome?.gasUsed
    return {
      ...message,
      sender: recoverAndCheckSender(message, fork),
      location: { ...location, messageIndex: message.messageIndex },
      succeeded: outcome !== undefined && outcome.vmError === '' && result.code === 0,
      // The fee was taken for all of its gas if the block had no gas left.
      gasUsed: outcome === undefined ? message.transaction.gasLimit : (gasUsed ?? 0n),
      logs: outcome?.logs ?? [],
    }
  })
}

/** Decodes the native transactions of a block and combines them with their results. */
export const toExecutedTransactions = (
  block: NativeBlock,
  results: NativeBlockResults,
  decoding: BlockDecoding,
): ExecutedNativeTransaction[] => {
  const { height } = block.header
  if (results.height !== height)
    throw new UpstreamError(`results of block ${results.height} came for block ${height}`)
  if (results.transactions.length !== block.transactions.length)
    throw new UpstreamError(
      `block ${height} has ${block.transactions.length} transactions and ${results.transactions.length} results`,
    )
  return results.transactions.map((result, nativeIndex) => {
    const bytes = block.transactions[nativeIndex] as Uint8Array // there are as many as results
    const hash = nativeHash(bytes)
    const contents = decodeContents(bytes)
    const location = { nativeHash: hash, nativeIndex }
    return {
      hash,
      result,
      contents,
      ethereum: contents ? toEthereumTransactions(contents, result, location, decoding) : [],
      undecoded: decoding.statusOf(result) === 'out' ? undefined : contents?.decodeError,
    }
  })
}
