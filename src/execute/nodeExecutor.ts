import type { MaybePromise } from '../base/async/maybePromise.ts'
import { signalOf, type Waiter } from '../base/async/waiter.ts'
import { encodeHeader, type Header } from '../chain/block/header.ts'
import { headerNotFound, refused } from '../chain/chainError.ts'
import type { BlockRef } from '../chain/port/blockRef.ts'
import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallRequest,
  CallWitness,
  EstimateOutcome,
  Executor,
  WitnessQuestion,
} from '../chain/port/executor.ts'
import type { TransactionLocation } from '../chain/port/location.ts'
import type { StateView } from '../chain/port/state.ts'
import { noTransactionInGenesis, pendingStatesNotServed } from '../chain/state/callErrors.ts'
import type { StateChanges } from '../chain/state/evmState.ts'
import { MissingForkValueError } from '../chain/state/forkSource.ts'
import { mergeChanges } from '../chain/state/mergeChanges.ts'
import type { AccountOverride } from '../chain/state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../chain/state/simulation.ts'
import { InterruptedError } from '../evm/types.ts'
import type { StateReader } from '../state/reading/stateReader.ts'
import { isLarge, isLargeCall } from './largeTask.ts'
import { LongCalls } from './longCalls.ts'
import { OverlayStateView } from './overlay/overlayStateView.ts'
import type { BlockPreview, PendingBlockRequest } from './pending/buildPendingBlock.ts'
import type { TaskBlock, TaskKind, TaskKinds } from './tasks/task.ts'
import type { TaskRunner } from './tasks/taskRunner.ts'
import type { TaskClass, WorkerPool } from './workers/workerPool.ts'

export interface InlineLimits {
  /** The most gas for a call on the main thread; a call that needs more runs on a worker. */
  readonly gas: bigint
  readonly milliseconds: number
}

export interface ExecutorDependencies {
  /** The runner of this thread. */
  readonly runner: TaskRunner
  readonly workers: WorkerPool
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly hashAt: (height: number) => Uint8Array | undefined
  readonly isHead: (height: number) => boolean
  readonly headerRlp: (height: number) => Uint8Array | undefined
  readonly transactionCount: (height: number) => number | undefined
  readonly stateAt: (height: number) => StateReader
  /** Returns the view of a state as it is handed out; by default the same. */
  readonly toView?: ((view: StateView) => StateView) | undefined
  /** Returns the changes of a state from outside a block, which the next block starts from. */
  readonly editsAt: (height: number) => StateChanges
  /** Returns the pending block and the height of its parent. */
  readonly pending: () => Promise<{
    readonly preview: { readonly header: Header; readonly changes: StateChanges }
    readonly parent: number
  }>
}

const taskClasses: Readonly<Record<TaskKind, TaskClass>> = {
  call: 'call',
  estimate: 'long',
  accessList: 'long',
  many: 'long',
  simulate: 'long',
  replay: 'long',
  pendingBlock: 'long',
  witness: 'long',
}

/** The kinds of tasks that are one call of one function. */
const isSingleCall: Readonly<Record<TaskKind, boolean>> = {
  call: true,
  estimate: true,
  accessList: true,
  many: false,
  simulate: false,
  replay: false,
  pendingBlock: false,
  witness: false,
}

/** For how long after a call that was too long for this thread the following calls yield to the event loop. */
const yieldWindowMs = 100

/** Runs calls on this thread, up to the inline limits. A call that needs more is stopped and run again on a worker. */
export class NodeExecutor implements Executor {
  readonly #inline: InlineLimits
  readonly #dependencies: ExecutorDependencies
  /** Until this time calls yield to the event loop one after the other. */
  #yieldUntil = 0
  #yieldChain: Promise<void> = Promise.resolve()
  readonly #longCalls = new LongCalls()

  constructor(inline: InlineLimits, dependencies: ExecutorDependencies) {
    this.#inline = inline
    this.#dependencies = dependencies
  }

  call(request: CallRequest, at: BlockRef, waiter: Waiter): MaybePromise<CallOutcome> {
    return this.#run('call', request, () => this.#resolveBlock(at), waiter)
  }

  estimateGas(request: CallRequest, at: BlockRef, waiter: Waiter): MaybePromise<EstimateOutcome> {
    return this.#run('estimate', request, () => this.#resolveBlock(at), waiter)
  }

  createAccessList(request: CallRequest, at: BlockRef, signal: AbortSignal): MaybePromise<AccessListOutcome> {
    return this.#run('accessList', request, () => this.#resolveBlock(at), signal)
  }

  callMany(
    bundles: readonly CallBundle[],
    stateOverrides: readonly AccountOverride[] | undefined,
    at: BlockRef,
    before: number | undefined,
    signal: AbortSignal,
  ): MaybePromise<readonly (readonly (CallOutcome | string)[])[]> {
    const taskBlock = () =>
      before === undefined ? this.#resolveBlock(at) : this.#resolveBlockBefore(at, before, signal)
    return this.#run('many', { bundles, stateOverrides }, taskBlock, signal)
  }

  /** Always runs on a worker, because computing state roots takes time that no gas accounts for. */
  async simulate(simulation: Simulation, at: BlockRef, signal: AbortSignal): Promise<SimulationOutcome> {
    const task = { kind: 'simulate', block: await this.#resolveBlock(at), request: simulation } as const
    return this.#dependencies.workers.run(task, taskClasses.simulate, signal)
  }

  /** Always runs on a worker: collecting proofs takes time that no gas accounts for. */
  async witness(question: WitnessQuestion, at: BlockRef, signal: AbortSignal): Promise<CallWitness> {
    const task = { kind: 'witness', block: await this.#resolveBlock(at), request: question } as const
    return this.#dependencies.workers.run(task, taskClasses.witness, signal)
  }

  stateBefore({ number, index }: TransactionLocation, signal: AbortSignal): MaybePromise<StateView> {
    if (number === 0) throw noTransactionInGenesis()
    const base = this.#dependencies.stateAt(number - 1)
    const edits = this.#dependencies.editsAt(number - 1)
    const changes = this.#replay(number, index, signal)
    const { toView = (view: StateView) => view } = this.#dependencies
    const viewOf = (known: StateChanges) => toView(new OverlayStateView(base, mergeChanges(edits, known)))
    return changes instanceof Promise ? changes.then(viewOf) : viewOf(changes)
  }

  /**
   * Executes the block that would follow the block at `parent`. Blocks that need more gas than a call may use on this
   * thread go to a worker at once.
   */
  async buildPendingBlock(
    request: PendingBlockRequest,
    gas: bigint,
    parent: number,
    signal: AbortSignal,
  ): Promise<BlockPreview> {
    const block = this.#taskBlockAt(parent, undefined)
    if (gas <= this.#inline.gas) return this.#runAt('pendingBlock', request, block, signal)
    const task = { kind: 'pendingBlock', block, request } as const
    return this.#dependencies.workers.run(task, taskClasses.pendingBlock, signal)
  }

  /** Returns the changes of the first `count` transactions of a block. */
  #replay(number: number, count: number, signal: AbortSignal): MaybePromise<StateChanges> {
    return this.#run('replay', { count }, () => this.#taskBlockAt(number - 1, undefined), signal)
  }

  #run<Kind extends TaskKind>(
    kind: Kind,
    request: TaskKinds[Kind]['request'],
    resolveBlock: () => MaybePromise<TaskBlock>,
    waiter: Waiter,
  ): MaybePromise<TaskKinds[Kind]['result']> {
    if (performance.now() < this.#yieldUntil)
      return this.#yieldToEventLoop().then(() => this.#start(kind, request, resolveBlock, waiter))
    return this.#start(kind, request, resolveBlock, waiter)
  }

  /** Lets one call run in each turn of the event loop, so that other requests are answered in between. */
  #yieldToEventLoop(): Promise<void> {
    this.#yieldChain = this.#yieldChain.then(() => new Promise((resolve) => setImmediate(resolve)))
    return this.#yieldChain
  }

  #start<Kind extends TaskKind>(
    kind: Kind,
    request: TaskKinds[Kind]['request'],
    resolveBlock: () => MaybePromise<TaskBlock>,
    waiter: Waiter,
  ): MaybePromise<TaskKinds[Kind]['result']> {
    const block = resolveBlock()
    if (block instanceof Promise) return block.then((known) => this.#runAt(kind, request, known, waiter))
    return this.#runAt(kind, request, block, waiter)
  }

  #runAt<Kind extends TaskKind>(
    kind: Kind,
    request: TaskKinds[Kind]['request'],
    block: TaskBlock,
    waiter: Waiter,
  ): MaybePromise<TaskKinds[Kind]['result']> {
    const task = { kind, block, request }
    // The cast is sound because the kinds of this table have a call as their request.
    const call = isSingleCall[kind] ? (request as CallRequest) : undefined
    const isLong =
      call === undefined
        ? kind === 'many' && isLarge(request)
        : isLargeCall(call) || this.#longCalls.has(kind, call)
    if (isLong) return this.#dependencies.workers.run(task, taskClasses[kind], signalOf(waiter))
    const end = performance.now() + this.#inline.milliseconds
    try {
      return this.#dependencies.runner.run(task, { deadline: () => end, gasBudget: this.#inline.gas })
    } catch (error) {
      // What is missing here a worker waits for.
      if (error instanceof MissingForkValueError)
        return this.#dependencies.workers.run(task, taskClasses[kind], signalOf(waiter))
      if (!(error instanceof InterruptedError)) throw error
      this.#yieldUntil = performance.now() + yieldWindowMs
      if (call !== undefined) this.#longCalls.add(kind, call)
      return this.#dependencies.workers.run(task, taskClasses[kind], signalOf(waiter))
    }
  }

  #resolveBlock(at: BlockRef): MaybePromise<TaskBlock> {
    const height = this.#dependencies.resolve(at)
    if (height === undefined) throw headerNotFound()
    if (height !== 'pending') return this.#taskBlockAt(height, undefined)
    return this.#dependencies
      .pending()
      .then(({ preview, parent }) =>
        this.#taskBlockAt(parent, { headerRlp: encodeHeader(preview.header), changes: preview.changes }),
      )
  }

  /** Returns a block whose state is the one before transaction `index` of the block, as if that block were pending. */
  #resolveBlockBefore(at: BlockRef, index: number, signal: AbortSignal): MaybePromise<TaskBlock> {
    const { resolve, headerRlp, transactionCount } = this.#dependencies
    const height = resolve(at)
    if (height === 'pending') throw pendingStatesNotServed()
    const count = height === undefined ? undefined : transactionCount(height)
    const header = height === undefined ? undefined : headerRlp(height)
    if (height === undefined || count === undefined || header === undefined) throw headerNotFound()
    if (index === count) return this.#taskBlockAt(height, undefined)
    if (index > count) throw refused(`transaction index ${index} is past the ${count} of the block`)
    const blockIn = (changes: StateChanges) => this.#taskBlockAt(height - 1, { headerRlp: header, changes })
    const changes = this.#replay(height, index, signal)
    return changes instanceof Promise ? changes.then(blockIn) : blockIn(changes)
  }

  #taskBlockAt(height: number, pending: TaskBlock['pending']): TaskBlock {
    const { hashAt, isHead } = this.#dependencies
    const hash = hashAt(height)
    if (hash === undefined) throw headerNotFound()
    return { height, hash, pending, isHead: isHead(height) }
  }
}
