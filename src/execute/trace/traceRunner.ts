import { toHex } from '../../base/encoding/hex.ts'
import { decodeBlock } from '../../chain/block/block.ts'
import type { blockRewards } from '../../chain/block/blockRewards.ts'
import type { Header } from '../../chain/block/header.ts'
import { headerHash } from '../../chain/block/header.ts'
import { mergeChanges } from '../../chain/state/mergeChanges.ts'
import type { Evm } from '../../evm/evm.ts'
import { TraceOutput } from '../../evm/tracers/output.ts'
import { createFrameFilter, readFilter } from '../../evm/tracers/parity/parityFilter.ts'
import { toTraceLocation } from '../../evm/tracers/parity/writeTraces.ts'
import { readRange } from '../../evm/tracers/steps/stepPiece.ts'
import { recordedStepTracer } from '../../evm/tracers/steps/stepTracer.ts'
import { type ResultTracer, TraceError, type TracerFactory } from '../../evm/tracers/tracer.ts'
import { toConfigObject } from '../../evm/tracers/tracerConfig.ts'
import { loadTracer } from '../../evm/tracers/tracerRegistry.ts'
import { InterruptedError } from '../../evm/types.ts'
import type { RunnerDependencies } from '../tasks/runnerDependencies.ts'
import { BlockReplayer } from './blockReplayer.ts'
import { BlockStates } from './blockStates.ts'
import { writeWitness } from './blockWitness.ts'
import { collectCallEnds } from './callEnds.ts'
import { TraceSpool } from './spool.ts'
import type { StepRecordFile } from './steps/recordFormat.ts'
import { writeRecordedPiece } from './steps/recordReader.ts'
import { StepRecordWriter } from './steps/recordWriter.ts'
import { TraceDeadline } from './traceDeadline.ts'
import { traceCalls } from './tracedCalls.ts'
import { writeTraceFiles } from './traceFiles.ts'
import { type StoredBlock, TraceSources } from './traceSources.ts'
import type { TraceTask, TraceTaskResult } from './traceTask.ts'
import { TraceWriter } from './writer.ts'

/** Writes the rewards of a block as Parity's traces: that of the block first, then those of its uncles. */
const writeRewards = (
  rewards: ReturnType<typeof blockRewards>,
  header: Header,
  tracerConfig: unknown,
  trace: TraceWriter,
): void => {
  const { filter } = toConfigObject(tracerConfig)
  const wanted = filter === undefined ? undefined : createFrameFilter(readFilter(filter))
  const location = toTraceLocation({
    blockHash: headerHash(header),
    blockNumber: header.number,
    transactionHash: undefined,
    transactionIndex: 0,
  })
  const { output } = trace
  for (const [index, { address, amount }] of [...rewards.slice(-1), ...rewards.slice(0, -1)].entries()) {
    if (wanted?.matchesReward(address) === false) continue
    output.ascii(trace.hasElements ? ',{"action":{"author":' : '{"action":{"author":')
    output.data(address)
    output.ascii(`,"rewardType":"${index === 0 ? 'block' : 'uncle'}","value":`)
    output.quantity(amount)
    output.ascii(`}${location.block},"result":null,"subtraces":0,"traceAddress":[]${location.transaction}`)
    output.ascii(',"type":"reward"}')
    trace.hasElements = true
  }
}

export interface TraceRunnerOptions {
  readonly gasCap: bigint
  /** Returns how long this thread has waited for others so far, which does not count as the time of a trace. */
  readonly waitedMs?: () => number
}

export interface TraceRunnerDependencies extends RunnerDependencies {
  /** Creates an EVM that has no code yet, so that it reads all that it runs. */
  readonly createEvm: () => Evm
}

/** Runs one trace after the other on a worker. */
export class TraceRunner {
  readonly #options: TraceRunnerOptions
  readonly #dependencies: TraceRunnerDependencies
  readonly #sources: TraceSources
  readonly #states: BlockStates

  constructor(options: TraceRunnerOptions, dependencies: TraceRunnerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#sources = new TraceSources(dependencies)
    this.#states = new BlockStates(this.#sources)
  }

  /**
   * Runs a trace. `isCancelled` returns whether the client has gone. Throws `TraceError`, `ChainError` or
   * `InterruptedError`.
   */
  async run(task: TraceTask, isCancelled: () => boolean): Promise<TraceTaskResult> {
    const { target } = task
    const clock = new TraceDeadline(task.timeoutMs, isCancelled, this.#options.waitedMs)
    switch (target.kind) {
      case 'roots':
        return { kind: 'roots', roots: this.#intermediateRoots(task, clock) }
      case 'files': {
        const block = this.#sources.stored(task)
        const replay = this.#sources.replay(task, block, clock, true)
        return { kind: 'files', paths: writeTraceFiles(replay, block, target, task, clock) }
      }
      case 'callEnds':
        return { kind: 'callEnds', updates: collectCallEnds(this.#sources, task, target.count, clock) }
      case 'call':
        return this.#writeToSpool(task, clock, (trace) =>
          traceCalls(this.#sources, { task, call: target.call, gasCap: this.#options.gasCap }, trace, clock),
        )
      case 'transaction':
        return target.stepRecord === undefined
          ? this.#writeToSpool(task, clock, (trace) => this.#transaction(task, target.index, trace, clock))
          : this.#steps(task, target.index, target.stepRecord, clock)
      case 'block':
        return this.#writeToSpool(task, clock, (trace) =>
          this.#block(task, this.#sources.stored(task), trace, clock),
        )
      case 'witness':
        return this.#writeToSpool(task, clock, ({ output }) =>
          writeWitness(this.#sources, { task, evm: this.#dependencies.createEvm() }, output, clock),
        )
      case 'encoded':
        return this.#writeToSpool(task, clock, (trace) => {
          // The sender of the task has decoded it before, so this does not fail.
          const { header, transactions } = decodeBlock(target.rlp)
          const rawTransactions = transactions.map(({ raw }) => raw)
          this.#block(task, { ...this.#sources.parentState(task), header, rawTransactions }, trace, clock)
        })
    }
  }

  async #writeToSpool(
    task: TraceTask,
    clock: TraceDeadline,
    write: (trace: TraceWriter) => void,
    given?: TracerFactory,
  ): Promise<TraceTaskResult> {
    if (task.spoolFile === undefined) throw new Error(`a ${task.target.kind} is traced without a file`)
    const spool = new TraceSpool(task.spoolFile, task.maxBytes)
    try {
      const { tracer } = task.options
      const factory = given ?? (tracer === undefined ? undefined : await loadTracer(tracer))
      const output = new TraceOutput(spool)
      write(new TraceWriter(task, factory, output, clock))
      output.end()
      return spool.finish()
    } catch (error) {
      spool.discard()
      if (error instanceof InterruptedError && error.reason === 'deadline')
        throw new TraceError('execution timeout')
      throw error
    }
  }

  /** Gives a piece of the steps: from their record, or else with a replay that records them. */
  async #steps(
    task: TraceTask,
    index: number,
    file: StepRecordFile,
    clock: TraceDeadline,
  ): Promise<TraceTaskResult> {
    const range = readRange(task.options.tracerConfig)
    const record = new StepRecordWriter(file)
    try {
      return await this.#writeToSpool(
        task,
        clock,
        (trace) => {
          const found = writeRecordedPiece(file, range, trace.output)
          if (found === 'written') return
          // To write it again would end it at the same place.
          if (found === 'too short') record.discard()
          this.#transaction(task, index, trace, clock)
        },
        recordedStepTracer(record),
      )
    } finally {
      record.discard()
    }
  }

  #transaction(task: TraceTask, index: number, trace: TraceWriter, clock: TraceDeadline): void {
    const block = this.#sources.stored(task)
    const { state, logs } = this.#states.before(task, block, index, clock)
    clock.restart()
    const config = this.#sources.config(task)
    const replay = new BlockReplayer(
      this.#dependencies.evm,
      { ...block, config, state },
      clock.limits,
      true,
      true,
    )
    trace.write(
      {
        fork: replay.fork,
        blockHash: headerHash(block.header),
        blockNumber: block.header.number,
        transactionHash: replay.hashOf(index),
        transactionIndex: index,
        logsBefore: logs,
      },
      (tracer) => {
        replay.execute(index, tracer)
      },
    )
  }

  #block(task: TraceTask, block: StoredBlock, trace: TraceWriter, clock: TraceDeadline): void {
    const replay = this.#sources.replay(task, block, clock, true)
    const blockHash = headerHash(block.header)
    const { listing } = task.options
    trace.output.ascii('[')
    for (const index of block.rawTransactions.keys()) {
      clock.restart()
      const transactionHash = replay.hashOf(index)
      const context = {
        fork: replay.fork,
        blockHash,
        blockNumber: block.header.number,
        transactionHash,
        transactionIndex: index,
        logsBefore: replay.logs,
      }
      const execute = (tracer: ResultTracer): void => {
        replay.execute(index, tracer)
      }
      if (listing === 'elements') {
        trace.writeElements(context, execute)
        continue
      }
      if (index > 0) trace.output.ascii(',')
      if (listing === 'results') trace.write(context, execute)
      else {
        trace.output.ascii(`{"txHash":"${toHex(transactionHash)}",`)
        trace.writeEntry(context, execute)
      }
    }
    if (listing === 'elements') {
      const rewards = this.#sources.rewards(block.header, replay.fork)
      writeRewards(rewards, block.header, task.options.tracerConfig, trace)
    }
    trace.output.ascii(']')
  }

  #intermediateRoots(task: TraceTask, clock: TraceDeadline): readonly Uint8Array[] {
    const { state } = this.#dependencies
    const block = this.#sources.stored(task)
    const replay = this.#sources.replay(task, block, clock, false)
    const { height } = task.block
    let changes = state.edits(height)
    return Array.from(block.rawTransactions.keys(), (index) => {
      clock.restart()
      replay.execute(index)
      changes = mergeChanges(changes, replay.execution.drainChanges())
      return state.rootAfter(height, changes)
    })
  }
}
