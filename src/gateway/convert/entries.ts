import { equalBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import type { Log } from '../../chain/block/log.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { ResultError } from '../../cosmos/results/logs.ts'
import { decodeOutcomes, type MessageOutcome } from '../../cosmos/results/outcomes.ts'
import {
  decodeContents,
  type EthereumMessage,
  type NativeContents,
} from '../../cosmos/transaction/contents.ts'
import { nativeHash } from '../../cosmos/transaction/nativeHash.ts'
import type { NativeBlock, NativeResult, NativeResults } from '../parse/native.ts'
import { UpstreamFault } from '../parse/upstreamFault.ts'
import type { NativePlace } from './converted.ts'

/** An Ethereum transaction of a block and what became of it. */
export interface EthereumEntry extends EthereumMessage {
  readonly sender: Uint8Array
  readonly place: NativePlace
  readonly succeeded: boolean
  readonly gasUsed: bigint
  readonly logs: readonly Log[]
}

/** A native transaction, its result, and the Ethereum transactions of the block that it holds. */
export interface NativeEntry {
  readonly hash: Uint8Array
  readonly result: NativeResult
  readonly contents: NativeContents | undefined
  readonly ethereum: readonly EthereumEntry[]
}

/** Which native transactions have their messages in the Ethereum block, by how they ended. */
export type Standing = 'executed' | 'paid' | 'out'

/** After its fee was taken, and with nothing executed. */
export const ranOutOfBlockGas = (log: string): boolean =>
  log.includes('out of gas in location: block gas meter; gasWanted:')

const senderOf = ({ transaction, from, hash }: EthereumMessage, fork: Fork): Uint8Array => {
  const sender = recoverSender(transaction, fork)
  if (sender === undefined) throw new UpstreamFault(`transaction ${toHex(hash)} has no valid signature`)
  if (from !== undefined && !equalBytes(sender, from))
    throw new UpstreamFault(`transaction ${toHex(hash)} is signed by ${toHex(sender)}, not by ${toHex(from)}`)
  return sender
}

const checkOutcome = ({ hash }: EthereumMessage, outcome: MessageOutcome): void => {
  if (outcome.hash !== '' && outcome.hash.toLowerCase() !== toHex(hash))
    throw new UpstreamFault(`the result of transaction ${toHex(hash)} is of another one`)
}

const readOutcomes = (result: NativeResult, count: number): readonly MessageOutcome[] | undefined => {
  try {
    return decodeOutcomes(result, count)
  } catch (error) {
    throw error instanceof ResultError ? new UpstreamFault(error.message) : error
  }
}

const ethereumOf = (
  contents: NativeContents,
  result: NativeResult,
  standing: Standing,
  place: Omit<NativePlace, 'messageIndex'>,
  fork: Fork,
): EthereumEntry[] => {
  if (standing === 'out') return []
  const where = `native transaction ${place.nativeIndex}`
  if (contents.fault !== undefined) throw new UpstreamFault(`${where}: ${contents.fault}`)
  const { ethereum } = contents
  if (ethereum.length === 0) return []
  const outcomes = standing === 'paid' ? undefined : readOutcomes(result, ethereum.length)
  if (standing === 'executed' && outcomes === undefined)
    throw new UpstreamFault(`${where}: its result does not tell of ${ethereum.length} Ethereum transactions`)
  return ethereum.map((message, index) => {
    const outcome = outcomes?.[index]
    if (outcome) checkOutcome(message, outcome)
    const gasUsed = ethereum.length === 1 ? result.gasUsed : outcome?.gasUsed
    return {
      ...message,
      sender: senderOf(message, fork),
      place: { ...place, messageIndex: message.messageIndex },
      succeeded: outcome !== undefined && outcome.vmError === '' && result.code === 0,
      // Its fee was taken for all of its gas where the block had no more.
      gasUsed: outcome === undefined ? message.transaction.gasLimit : (gasUsed ?? 0n),
      logs: outcome?.logs ?? [],
    }
  })
}

/** The native transactions of a block with their results. */
export const entriesOf = (
  block: NativeBlock,
  results: NativeResults,
  standingOf: (result: NativeResult) => Standing,
  fork: Fork,
): NativeEntry[] => {
  const { height } = block.header
  if (results.height !== height)
    throw new UpstreamFault(`results of block ${results.height} came for block ${height}`)
  if (results.transactions.length !== block.transactions.length)
    throw new UpstreamFault(
      `block ${height} has ${block.transactions.length} transactions and ${results.transactions.length} results`,
    )
  return results.transactions.map((result, nativeIndex) => {
    const bytes = block.transactions[nativeIndex] as Uint8Array // as many as there are results
    const hash = nativeHash(bytes)
    const contents = decodeContents(bytes)
    const place = { nativeHash: hash, nativeIndex }
    return {
      hash,
      result,
      contents,
      ethereum: contents ? ethereumOf(contents, result, standingOf(result), place, fork) : [],
    }
  })
}
