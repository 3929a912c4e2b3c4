import { type ChainError, refused, unavailable } from '../chainError.ts'

/** Errors for calls that are rejected or stopped; most have geth's words, because clients match on them. */

/** Renders the duration as Go does. */
export const callTimedOut = (timeoutMs: number): ChainError =>
  refused(`execution aborted (timeout = ${timeoutMs / 1000}s)`)

export const callCancelled = (): ChainError => unavailable('the call was cancelled: no client waits for it')

export const callOutOfMemory = (): ChainError => refused('execution aborted (memory limit)')

export const chainIdMismatch = (have: bigint, want: bigint): ChainError =>
  refused(`chainId does not match node's (have=${have}, want=${want})`)

export const noTransactionInGenesis = (): ChainError => refused('no transaction in genesis')

export const pendingStatesNotServed = (): ChainError =>
  refused('states within the pending block are not served: name another block')
