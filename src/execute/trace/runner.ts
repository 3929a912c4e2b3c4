import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { decodeBlock } from '../../chain/block/block.ts'
import { headerHash } from '../../chain/block/header.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import { currentSource } from '../../chain/config/liveConfig.ts'
import type { TracedCall } from '../../chain/port/traces.ts'
import { mergeChanges } from '../../chain/state/mergeChanges.ts'
import { blockNumberNotFound } from '../../chain/trace/errors.ts'
import { TraceOutput } from '../../evm/tracers/output.ts'
import { TraceError } from '../../evm/tracers/tracer.ts'
import { loadTracer } from '../../evm/tracers/tracerRegistry.ts'
import { InterruptedError } from '../../evm/types.ts'
import { prepareBlock } from '../../state/prepareBlock.ts'
import { ExecutionBudget } from '../call/budget.ts'
import { CallEnvironment, type StateAndHeader } from '../call/environment.ts'
import { MessageError } from '../call/message.ts'
import { openCurrentState, openParentState, type RunnerDependencies } from '../call/runner.ts'
import { TraceDeadline } from './deadline.ts'
import { writeTraceFiles } from './files.ts'
import { BlockReplayer, type ReplayedBlock } from './replay.ts'
import { TraceSpool } from './spool.ts'
import type { TraceTask, TraceTaskResult } from './task.ts'
import { TraceWriter } from './writer.ts'

export interface TraceRunnerOptions {
  readonly gasCap: bigint
}

const unknownHash = new Uint8Array(32)

/** The forks that `overrides` may move: those after Istanbul, as in geth. */
const movable =
  /^(?:berlinBlock|londonBlock|arrowGlacierBlock|grayGlacierBlock|mergeNetsplitBlock|(?:shanghai|cancun|prague|osaka)Time)$/

/** Runs one trace after the other on a worker. */
export class TraceRunner {
  readonly #options: TraceRunnerOptions
  readonly #dependencies: RunnerDependencies

  constructor(options: TraceRunnerOptions, dependencies: RunnerDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  /**
   * Runs a trace. `isCancelled` returns whether the client has gone. Throws `TraceError`, `ChainError` or
   * `InterruptedError`.
   */
  async run(task: TraceTask, isCancelled: () => boolean): Promise<TraceTaskResult> {
    const { target } = task
    const clock = new TraceDeadline(task.timeoutMs, isCancelled)
    switch (target.kind) {
      case 'roots':
        return { kind: 'roots', roots: this.#intermediateRoots(task, clock) }
      case 'files': {
        const block = this.#stored(task)
        const replay = this.#replay(task, block, clock, true)
        return { kind: 'files', paths: writeTraceFiles(replay, block, target, task, clock) }
      }
      case 'call':
        return this.#writeToSpool(task, clock, (trace) => this.#call(task, target.call, trace, clock))
      case 'transaction':
        return this.#writeToSpool(task, clock, (trace) => this.#transaction(task, target.index, trace, clock))
      case 'block':
        return this.#writeToSpool(task, clock, (trace) => this.#block(task, this.#stored(task), trace, clock))
      case 'encoded':
        return this.#writeToSpool(task, clock, (trace) => {
          // The sender of the task has decoded it before, so this does not fail.
          const { header, transactions } = decodeBlock(target.rlp)
          const rawTransactions = transactions.map(({ raw }) => raw)
          this.#block(task, { ...this.#parentState(task), header, rawTransactions }, trace, clock)
        })
    }
  }

  async #writeToSpool(
    task: TraceTask,
    clock: TraceDeadline,
    write: (trace: TraceWriter) => void,
  ): Promise<TraceTaskResult> {
    const spool = new TraceSpool(task.spoolFile, task.maxBytes)
    try {
      const { tracer } = task.options
      const factory = tracer === undefined ? undefined : await loadTracer(tracer)
      const output = new TraceOutput(spool)
      write(new TraceWriter(task, factory, output, clock))
      output.flush()
      return spool.finish()
    } catch (error) {
      spool.discard()
      if (error instanceof InterruptedError && error.reason === 'deadline')
        throw new TraceError('execution timeout')
      throw error
    }
  }

  #transaction(task: TraceTask, index: number, trace: TraceWriter, clock: TraceDeadline): void {
    const block = this.#stored(task)
    const before = this.#replay(task, block, clock, false)
    for (let i = 0; i < index; i++) {
      clock.restart()
      before.execute(i)
    }
    clock.restart()
    const replay = new BlockReplayer(
      this.#dependencies.evm,
      { ...block, config: this.#config(task), state: before.currentState() },
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
        logsBefore: before.logs,
      },
      (tracer) => {
        replay.execute(index, tracer)
      },
    )
  }

  #block(
    task: TraceTask,
    block: Omit<ReplayedBlock, 'config'>,
    trace: TraceWriter,
    clock: TraceDeadline,
  ): void {
    const replay = this.#replay(task, block, clock, true)
    const blockHash = headerHash(block.header)
    trace.output.ascii('[')
    for (const index of block.rawTransactions.keys()) {
      clock.restart()
      const transactionHash = replay.hashOf(index)
      trace.output.ascii(`${index === 0 ? '' : ','}{"txHash":"${toHex(transactionHash)}",`)
      const context = {
        fork: replay.fork,
        blockHash,
        blockNumber: block.header.number,
        transactionHash,
        transactionIndex: index,
        logsBefore: replay.logs,
      }
      trace.writeEntry(context, (tracer) => {
        replay.execute(index, tracer)
      })
    }
    trace.output.ascii(']')
  }

  #call(task: TraceTask, call: TracedCall, trace: TraceWriter, clock: TraceDeadline): void {
    const { evm } = this.#dependencies
    const { request, stateOverrides, blockOverrides, transactionIndex } = call
    const base = this.#stateOfCall(task, transactionIndex, clock)
    // Wallets simulate the next block like this: then the hash of this block is known.
    const isNext = blockOverrides?.number === base.header.number + 1n
    const header = isNext ? { ...base.header, number: base.header.number + 1n } : base.header
    const environment = new CallEnvironment(
      evm,
      this.#config(task),
      { ...base, header },
      { stateOverrides, blockOverrides },
    )
    const { gas } = request
    const gasLimit = gas === undefined || gas > this.#options.gasCap ? this.#options.gasCap : gas
    clock.restart()
    const context = {
      fork: environment.fork,
      blockHash: undefined,
      blockNumber: undefined,
      transactionHash: undefined,
      transactionIndex: 0,
      logsBefore: base.logs,
    }
    trace.write(context, (tracer) => {
      try {
        environment.run(
          environment.prepare(request),
          gasLimit,
          new ExecutionBudget({ deadline: clock.deadline }),
          { tracer },
        )
      } catch (error) {
        if (!(error instanceof MessageError)) throw error
        throw new TraceError(`tracing failed: ${error.message}`)
      }
    })
  }

  #stateOfCall(
    task: TraceTask,
    index: number | undefined,
    clock: TraceDeadline,
  ): StateAndHeader & { readonly logs: number } {
    const { blocks } = this.#dependencies
    const { height } = task.block
    if (index === undefined) {
      const header = blocks.header(height)
      if (header === undefined) throw blockNumberNotFound(height)
      const state = openCurrentState(this.#dependencies.state, height)
      return { state, blockHash: this.#blockHash, header, logs: 0 }
    }
    const block = this.#storedAt(height)
    const count = block.rawTransactions.length
    if (index >= count && !(index === 0 && count === 0)) {
      const hash = toHex(headerHash(block.header))
      throw new TraceError(`transaction index ${index} out of range for block ${hash}`)
    }
    const replay = this.#replay(task, block, clock, false)
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

  #intermediateRoots(task: TraceTask, clock: TraceDeadline): readonly Uint8Array[] {
    const { state } = this.#dependencies
    const block = this.#stored(task)
    const replay = this.#replay(task, block, clock, false)
    const { height } = task.block
    const base = { height, root: state.rootAt(height) }
    let changes = state.edits(height)
    return Array.from(block.rawTransactions.keys(), (index) => {
      clock.restart()
      replay.execute(index)
      changes = mergeChanges(changes, replay.execution.drainChanges())
      return prepareBlock(state.tables, base, height + 1, changes).root
    })
  }

  #replay(
    task: TraceTask,
    block: Omit<ReplayedBlock, 'config'>,
    clock: TraceDeadline,
    isTraced: boolean,
  ): BlockReplayer {
    const config = this.#config(task)
    return new BlockReplayer(this.#dependencies.evm, { ...block, config }, clock.limits, isTraced)
  }

  /** Returns the chain's rules with the forks that the client moved. */
  #config({ options }: TraceTask): ChainConfig {
    if (options.overrides === undefined) return this.#dependencies.config
    const moved = Object.entries(options.overrides).filter(([name]) => movable.test(name))
    return parseChainConfig({ ...currentSource(this.#dependencies.config), ...Object.fromEntries(moved) })
  }

  /** Returns the block after the task's block. */
  #stored(task: TraceTask): Omit<ReplayedBlock, 'config'> {
    this.#parentState(task)
    return this.#storedAt(task.block.height + 1)
  }

  #storedAt(height: number): Omit<ReplayedBlock, 'config'> {
    const { blocks } = this.#dependencies
    const header = blocks.header(height)
    const rawTransactions = blocks.rawTransactions(height)
    if (header === undefined || rawTransactions === undefined) throw blockNumberNotFound(height)
    return { ...this.#stateAfter(height - 1), header, rawTransactions }
  }

  #parentState({ block }: TraceTask): Omit<StateAndHeader, 'header'> {
    const known = this.#dependencies.blocks.blockHashAt(block.height)
    if (known === undefined || !equalBytes(known, block.hash)) throw blockNumberNotFound(block.height)
    return this.#stateAfter(block.height)
  }

  /** Returns the state that the block after a height starts from. */
  #stateAfter(height: number): Omit<StateAndHeader, 'header'> {
    return {
      state: openParentState(this.#dependencies.state, height),
      blockHash: this.#blockHash,
    }
  }

  readonly #blockHash = (number: bigint): Uint8Array =>
    this.#dependencies.blocks.blockHashAt(Number(number)) ?? unknownHash
}
