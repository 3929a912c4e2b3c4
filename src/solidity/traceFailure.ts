import { parsePieced } from '../base/json/piecedJson.ts'
import { newLongSlice, runInSlices } from '../base/threads/timeSlice.ts'
import { type BlockRef, tracedBlock } from '../chain/port/blockRef.ts'
import type { Chain } from '../chain/port/chain.ts'
import { defaultTraceOptions, type StreamedJson, type TracedCall } from '../chain/port/traces.ts'
import type { RecordedFailure } from '../chain/trace/failure.ts'
import { readStreamedText } from '../chain/trace/streamedJson.ts'
import type { ContractRegistry } from './contractRegistry.ts'
import { type StackTrace, stackTraceOf } from './stackTrace.ts'

export interface FailureSources {
  readonly chain: Pick<Chain, 'traces'>
  readonly contracts: ContractRegistry
}

/** How long an execution may take that is run again to say where it failed. */
const timeoutMs = 5_000

/** The largest record of a failure that is read. */
const maxRecord = 32e6
/** How deep it is at most. */
const maxDepth = 8

const options = { ...defaultTraceOptions, tracer: 'failureTracer', timeoutMs }

/** Returns where a transaction failed; undefined if it did not, or ran no known contract. It is run again for that. */
export const traceFailedTransaction = (
  { chain, contracts }: FailureSources,
  hash: Uint8Array,
  signal: AbortSignal,
): Promise<StackTrace | undefined> =>
  traceFailure(contracts, () => chain.traces.transaction(hash, options, signal), signal)

/** Returns where a call failed, likewise. */
export const traceFailedCall = (
  { chain, contracts }: FailureSources,
  call: TracedCall,
  at: BlockRef,
  signal: AbortSignal,
): Promise<StackTrace | undefined> =>
  traceFailure(contracts, () => chain.traces.call(call, tracedBlock(at), options, signal), signal)

const traceFailure = async (
  contracts: ContractRegistry,
  trace: () => Promise<StreamedJson>,
  signal: AbortSignal,
): Promise<StackTrace | undefined> => {
  if (contracts.isEmpty) return undefined
  const json = await trace()
  if (json.size > maxRecord) {
    json.dispose()
    return undefined
  }
  const text = (await readStreamedText(json)).toString()
  const end = performance.now() + timeoutMs
  const work = readStack(text, contracts)
  return runInSlices(work, newLongSlice(), () => signal.aborted || performance.now() > end)
}

/** Artifacts come from elsewhere: whatever is in them, this thread does other things in between. */
function* readStack(text: string, contracts: ContractRegistry): Generator<undefined, StackTrace | undefined> {
  // Written by our own tracer.
  const failure = (yield* parsePieced(text, maxDepth)) as RecordedFailure | null
  return failure === null ? undefined : yield* stackTraceOf(failure, contracts)
}
