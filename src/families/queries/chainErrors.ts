import {
  ChainError,
  type ChainErrorKind,
  statePrunedError,
  unavailable,
  unsupported,
} from '../../chain/chainError.ts'
import { NativeQueryError, type NativeQueryErrorKind } from '../../comet/data/nativeQuery.ts'
import { stripErrorWrapping } from '../../comet/data/queryErrors.ts'
import { isAboutQuestion } from '../../comet/data/refusals.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'

const kinds: Readonly<Record<NativeQueryErrorKind, ChainErrorKind>> = {
  'unknown path': 'unsupported',
  pruned: 'state pruned',
  'future height': 'unavailable',
  refused: 'refused',
  unavailable: 'unavailable',
}

const timeout = /^no response within \d+ ms$/

/** Returns whether a call failed because nobody answered in time. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof NativeQueryError && error.kind === 'unavailable' && timeout.test(error.message)

/**
 * Returns the error for callers if no upstream answered. It has no details, because these name the addresses of
 * upstreams and what was wrong with them: the log has them.
 */
export const noUpstreamError = (why: string): ChainError =>
  unavailable(`the chain behind this gateway does not answer: ${shownReason(why)}`)

const shownReason = (why: string): string => {
  if (timeout.test(why)) return why
  // A module that panics once may always panic, as that of cosmos/evm does over states before an upgrade.
  if (isAboutQuestion(why)) return 'its nodes fail at this request'
  return 'none of its nodes can be asked now'
}

/** Converts an error of an upstream to a `ChainError`; any other error is returned as it is. */
export const toChainError = (error: unknown, height: number, earliest: number): unknown => {
  if (error instanceof UpstreamError) return noUpstreamError(error.message)
  if (!(error instanceof NativeQueryError)) return error
  if (error.kind === 'unavailable') return noUpstreamError(error.message)
  if (error.kind === 'pruned') return statePrunedError(height, earliest)
  if (error.kind === 'unknown path')
    return unsupported(`the chain behind this gateway has no such query: ${error.message}`)
  return new ChainError(kinds[error.kind], stripErrorWrapping(error.message))
}
