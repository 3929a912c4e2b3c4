import { toHex } from '../../base/encoding/hex.ts'
import { type ChainError, refused } from '../chainError.ts'
import type { BlockRef } from '../port/blockRef.ts'

/** Errors of tracing, in geth's words. */

export const genesisNotTraceableError = (): ChainError => refused('genesis is not traceable')

export const pendingNotTraceableError = (): ChainError =>
  refused('tracing on top of pending is not supported')

export const pendingHasNoWitnessError = (): ChainError =>
  refused('the pending block was not executed to its end: no witness is made of it')

export const transactionNotFoundError = (): ChainError => refused('transaction not found')

/** Creates the error for a transaction that exceeds the time limit of a trace. */
export const traceTimedOut = (): ChainError => refused('execution timeout')

export const blockNotFoundError = (at: BlockRef): ChainError => refused(`block ${nameOf(at)} not found`)

/** Returns whether an error is one of these two. */
export const isBlockNotFound = ({ kind, message }: ChainError): boolean =>
  kind === 'refused' && message.startsWith('block ') && message.endsWith(' not found')

export const blockNumberNotFound = (number: number): ChainError =>
  blockNotFoundError({ kind: 'number', number: BigInt(number) })

const nameOf = (at: BlockRef): string => {
  if (at.kind === 'hash') return toHex(at.hash)
  return at.kind === 'number' ? `#${at.number}` : at.tag
}
