import { toHex } from '../../base/encoding/hex.ts'
import { headerHash } from '../../chain/block/header.ts'
import type { TracedCall } from '../../chain/port/traces.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { noChanges } from '../../chain/state/mergeChanges.ts'
import { blockNumberNotFound } from '../../chain/trace/traceErrors.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { type ResultTracer, TraceError } from '../../evm/tracers/tracer.ts'
import { ExecutionBudget } from '../call/budget.ts'
import { CallEnvironment, type StateAndHeader } from '../call/callEnvironment.ts'
import { MessageError } from '../call/callMessage.ts'
import { RunningState } from '../overlay/runningState.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { TraceSources } from './traceSources.ts'
import type { TraceTask } from './traceTask.ts'
import type { TraceWriter } from './writer.ts'

interface CallTask {
  readonly task: TraceTask
  readonly call: TracedCall
  readonly gasCap: bigint
}

/** Traces a call; with calls that follow, all of them into one list, each on the state after the one before. */
export const traceCalls = (
  sources: TraceSources,
  { task, call, gasCap }: CallTask,
  trace: TraceWriter,
  clock: TraceDeadline,
): void => {
  const { request, stateOverrides, blockOverrides, transactionIndex, following } = call
  const base = stateOfCall(sources, task, transactionIndex, clock)
  // Wallets simulate the next block like this: then the hash of this block is known.
  const isNext = blockOverrides?.number === base.header.number + 1n
  const header = isNext ? { ...base.header, number: base.header.number + 1n } : base.header
  const environment = new CallEnvironment(
    sources.dependencies.evm,
    sources.config(task),
    { ...base, header },
    { stateOverrides, blockOverrides },
  )
  const context = {
    fork: environment.fork,
    blockHash: undefined,
    blockNumber: undefined,
    transactionHash: undefined,
    transactionIndex: 0,
    logsBefore: base.logs,
  }
  const run = (wanted: TransactionRequest, tracer: ResultTracer): StateChanges => {
    clock.restart()
    return runCall(environment, wanted, gasCap, tracer, clock)
  }
  if (following === undefined) {
    trace.write(context, (tracer) => {
      run(request, tracer)
    })
    return
  }
  const state = new RunningState(environment.state)
  environment.state = state
  const calls = [{ request, tracerConfig: task.options.tracerConfig }, ...following]
  trace.output.ascii('[')
  for (const [index, { request: wanted, tracerConfig }] of calls.entries()) {
    if (index > 0) trace.output.ascii(',')
    let changes = noChanges
    const execute = (tracer: ResultTracer): void => {
      changes = run(wanted, tracer)
    }
    trace.write(context, execute, tracerConfig)
    // The tracer reads the state before its call until its result is written.
    state.add(changes)
  }
  trace.output.ascii(']')
}

/** Runs a call with a tracer and returns its changes. */
const runCall = (
  environment: CallEnvironment,
  request: TransactionRequest,
  gasCap: bigint,
  tracer: ResultTracer,
  clock: TraceDeadline,
): StateChanges => {
  const { gas } = request
  const gasLimit = gas === undefined || gas > gasCap ? gasCap : gas
  const budget = new ExecutionBudget({ deadline: clock.deadline })
  try {
    const prepared = environment.prepare(request)
    const { changes } = environment.runWithChanges(prepared, gasLimit, budget, { tracer })
    tracer.changes?.(environment.state, changes)
    return changes
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    throw new TraceError(`tracing failed: ${error.message}`)
  }
}

/** Returns the state after the task's block, or before one of its transactions, and the number of logs before it. */
const stateOfCall = (
  sources: TraceSources,
  task: TraceTask,
  index: number | undefined,
  clock: TraceDeadline,
): StateAndHeader & { readonly logs: number } => {
  const { height, isHead = false } = task.block
  if (index === undefined) {
    const header = sources.dependencies.blocks.header(height)
    if (header === undefined) throw blockNumberNotFound(height)
    const state = isHead ? sources.stateAfter(height) : sources.currentState(height)
    return { ...state, header, logs: 0 }
  }
  const block = sources.storedAt(height)
  const count = block.rawTransactions.length
  if (index >= count && !(index === 0 && count === 0)) {
    const hash = toHex(headerHash(block.header))
    throw new TraceError(`transaction index ${index} out of range for block ${hash}`)
  }
  const replay = sources.replay(task, block, clock, false)
  for (let i = 0; i < index; i++) {
    clock.restart()
    replay.execute(i)
  }
  return {
    header: block.header,
    state: replay.currentState(),
    blockHash: block.blockHash,
    logs: replay.logs,
  }
}
