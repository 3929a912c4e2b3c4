import type { Header } from '../../chain/block/header.ts'
import { type ChainError, headerNotFound } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type { ModuleQueries } from '../client/moduleQueries.ts'
import type { Capabilities } from '../families/family.ts'
import type { NativeTime } from '../parse/native.ts'

/** What the EVM module must be told of a block, since it believes whoever asks. */
export interface HeightFacts {
  readonly hash: Uint8Array
  readonly header: Header
  /** Of the engine's header. */
  readonly proposer: Uint8Array
  readonly time: NativeTime
  /** -1: no limit. */
  readonly maxGas: bigint
}

export interface ExecutionDependencies {
  readonly queries: ModuleQueries
  readonly config: ChainConfig
  readonly capabilities: Capabilities
  /** `pending` is the newest block: nothing is built here. */
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly headNumber: () => number
  /** Throws `header not found`. */
  readonly heightFacts: (height: number, signal: AbortSignal) => Promise<HeightFacts>
}

/** The height at which a call runs. */
export const heightOf = ({ resolve, headNumber }: ExecutionDependencies, at: BlockRef): number => {
  const found = resolve(at)
  if (found === undefined) throw headerNotFound()
  return found === 'pending' ? headNumber() : found
}

/** Runs with a time limit of its own beside that of the caller. */
export const within = async <T>(
  timeoutMs: number,
  timeoutError: () => ChainError,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    return await run(AbortSignal.any([signal, timeout]))
  } catch (error) {
    throw timeout.aborted && !signal.aborted ? timeoutError() : error
  }
}
