import { toHex } from '../../base/encoding/hex.ts'
import type { Header } from '../../chain/block/header.ts'
import { type ChainError, headerNotFound } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { CallOutcome } from '../../chain/port/executor.ts'
import { callTimedOut } from '../../chain/state/callErrors.ts'
import { isTimeUp, withDeadline } from '../../comet/client/deadline.ts'
import type { NativeTime } from '../../comet/data/nativeBlock.ts'
import type { ModuleQueryClient } from '../queries/moduleQueryClient.ts'
import type { Capabilities } from '../traits.ts'

/** Returns the block values that a trace query states. */
export const toTraceBlock = ({ header, hash, time, proposer }: NativeBlockContext, chainId: bigint) => ({
  blockNumber: header.number,
  blockHash: toHex(hash).slice(2),
  blockTime: time,
  proposerAddress: proposer,
  chainId,
})

/** Returns the fields of a TraceCall request except the call and the tracer. */
export const traceCallRequest = (blockContext: NativeBlockContext, chainId: bigint, gasCap: bigint) => ({
  ...toTraceBlock(blockContext, chainId),
  gasCap,
})

/** The block values that queries of the EVM module must state. The module does not check them. */
export interface NativeBlockContext {
  readonly hash: Uint8Array
  readonly header: Header
  /** The proposer in the native header. */
  readonly proposer: Uint8Array
  readonly time: NativeTime
  /** The gas limit of the block; -1 for no limit. */
  readonly maxGas: bigint
}

export interface ExecutionDependencies {
  readonly queries: ModuleQueryClient
  readonly config: ChainConfig
  readonly capabilities: Capabilities
  /** Resolves a block reference. `pending` is the newest block, because a gateway builds none. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly headNumber: () => number
  /** Fetches the values of a block. Throws `header not found`. */
  readonly blockContext: (height: number, signal: AbortSignal) => Promise<NativeBlockContext>
}

/** Returns the height at which a call is executed. */
export const resolveHeight = ({ resolve, headNumber }: ExecutionDependencies, at: BlockRef): number => {
  const found = resolve(at)
  if (found === undefined) throw headerNotFound()
  return found === 'pending' ? headNumber() : found
}

/** Calls `run` with a timeout in addition to the signal of the caller. */
export const withTimeout = <T>(
  timeoutMs: number,
  timeoutError: () => ChainError,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> =>
  withDeadline(signal, timeoutMs, async (limited) => {
    try {
      return await run(limited)
    } catch (error) {
      throw isTimeUp(limited) && !signal.aborted ? timeoutError() : error
    }
  })

/** Calls `run` with the timeout of a call (`json-rpc.evm-timeout`) in addition to the signal of the caller. */
export const withCallTimeout = <T>(
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> => withTimeout(timeoutMs, () => callTimedOut(timeoutMs), signal, run)

/** The outcome of a call, and the gas that a transaction would be charged for it. */
export interface ChargedOutcome extends CallOutcome {
  readonly chargedGas: bigint
}
