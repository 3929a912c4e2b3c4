import type { BlockRef } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import { defaultTraceOptions, type StreamedJson, type TracedCall } from '../chain/port/traces.ts'
import type { RecordedFailure } from '../chain/trace/failure.ts'
import { readStreamedJson } from '../chain/trace/streamedJson.ts'
import type { ContractRegistry } from './contractRegistry.ts'
import { type StackTrace, stackTraceOf } from './stackTrace.ts'

export interface FailureSources {
  readonly chain: Pick<Chain, 'traces'>
  readonly contracts: ContractRegistry
}

/** How long an execution may take that is run again to say where it failed. */
const timeoutMs = 5_000

const options = { ...defaultTraceOptions, tracer: 'failureTracer', timeoutMs }

/** Returns where a transaction failed; undefined if it did not, or ran no known contract. It is run again for that. */
export const traceFailedTransaction = (
  { chain, contracts }: FailureSources,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<StackTrace | undefined> =>
  traceFailure(contracts, () => chain.traces.transaction(hash, options, signal))

/** Returns where a call failed, likewise. */
export const traceFailedCall = (
  { chain, contracts }: FailureSources,
  call: TracedCall,
  at: BlockRef,
  signal: AbortSignal,
): Promise<StackTrace | undefined> =>
  traceFailure(contracts, () => chain.traces.call(call, at, options, signal))

const traceFailure = async (
  contracts: ContractRegistry,
  trace: () => Promise<StreamedJson>,
): Promise<StackTrace | undefined> => {
  if (contracts.isEmpty) return undefined
  const failure = await readStreamedJson<RecordedFailure | null>(await trace())
  return failure === null ? undefined : stackTraceOf(failure, contracts)
}
