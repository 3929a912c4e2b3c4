import type { MaybePromise } from '../../base/maybePromise.ts'
import { encodeHeader, type Header } from '../../chain/block/header.ts'
import { headerNotFound, refused } from '../../chain/chainError.ts'
import type { BlockRef } from '../../chain/port/blockRef.ts'
import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallQuestion,
  EstimateOutcome,
  Executor,
} from '../../chain/port/executor.ts'
import type { TransactionPlace } from '../../chain/port/location.ts'
import type { StateView } from '../../chain/port/state.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import { noTransactionInGenesis, pendingStatesNotServed } from '../../chain/state/refusals.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { WorldChanges } from '../../chain/state/world.ts'
import { InterruptedError } from '../../evm/types.ts'
import type { StateReader } from '../../state/reader.ts'
import { ChangedState } from '../overlay/changedState.ts'
import type { WorkClass, WorkerPool } from '../workers/workerPool.ts'
import type { TaskRunner } from './runner.ts'
import type { TaskKind, TaskKinds, TaskPlace } from './task.ts'

export interface InlineLimits {
  /** More than this runs on a worker. */
  readonly gas: bigint
  readonly milliseconds: number
}

export interface ExecutorDependencies {
  /** On this thread. */
  readonly runner: TaskRunner
  readonly workers: WorkerPool
  readonly resolve: (ref: BlockRef) => number | 'pending' | undefined
  readonly hashAt: (height: number) => Uint8Array | undefined
  readonly headerRlp: (height: number) => Uint8Array | undefined
  readonly transactionCount: (height: number) => number | undefined
  readonly stateAt: (height: number) => StateReader
  /** The pending block and the height of its parent. */
  readonly pending: () => Promise<{
    readonly preview: { readonly header: Header; readonly changes: WorldChanges }
    readonly parent: number
  }>
}

const classes: Readonly<Record<TaskKind, WorkClass>> = {
  call: 'call',
  estimate: 'long',
  accessList: 'long',
  many: 'long',
  simulate: 'long',
  replay: 'long',
}

/** After a call that was too long for this thread, the next ones may be too. */
const crowdedMs = 100

/** Runs calls at once, up to a little gas; what needs more is dropped and run again on a worker. */
export class NodeExecutor implements Executor {
  readonly #inline: InlineLimits
  readonly #dependencies: ExecutorDependencies
  /** Until then calls wait for each other. */
  #crowdedUntil = 0
  #turns: Promise<void> = Promise.resolve()

  constructor(inline: InlineLimits, dependencies: ExecutorDependencies) {
    this.#inline = inline
    this.#dependencies = dependencies
  }

  call(question: CallQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<CallOutcome> {
    return this.#run('call', question, () => this.#place(at), signal)
  }

  estimateGas(question: CallQuestion, at: BlockRef, signal: AbortSignal): MaybePromise<EstimateOutcome> {
    return this.#run('estimate', question, () => this.#place(at), signal)
  }

  createAccessList(
    question: CallQuestion,
    at: BlockRef,
    signal: AbortSignal,
  ): MaybePromise<AccessListOutcome> {
    return this.#run('accessList', question, () => this.#place(at), signal)
  }

  callMany(
    bundles: readonly CallBundle[],
    stateOverrides: readonly AccountOverride[] | undefined,
    at: BlockRef,
    before: number | undefined,
    signal: AbortSignal,
  ): MaybePromise<readonly (readonly (CallOutcome | string)[])[]> {
    const place = () => (before === undefined ? this.#place(at) : this.#placeBefore(at, before, signal))
    return this.#run('many', { bundles, stateOverrides }, place, signal)
  }

  /** On a worker in any case: roots of states take time too, which no gas accounts for. */
  async simulate(simulation: Simulation, at: BlockRef, signal: AbortSignal): Promise<SimulationOutcome> {
    const task = { kind: 'simulate', place: await this.#place(at), question: simulation } as const
    return this.#dependencies.workers.run(task, classes.simulate, signal)
  }

  stateBefore({ number, index }: TransactionPlace, signal: AbortSignal): MaybePromise<StateView> {
    if (number === 0) throw noTransactionInGenesis()
    const below = this.#dependencies.stateAt(number - 1)
    const changes = this.#replay(number, index, signal)
    return changes instanceof Promise
      ? changes.then((known) => new ChangedState(below, known))
      : new ChangedState(below, changes)
  }

  /** What the first so many transactions of a block changed. */
  #replay(number: number, count: number, signal: AbortSignal): MaybePromise<WorldChanges> {
    return this.#run('replay', { count }, () => this.#placeAt(number - 1, undefined), signal)
  }

  #run<Kind extends TaskKind>(
    kind: Kind,
    question: TaskKinds[Kind]['question'],
    findPlace: () => MaybePromise<TaskPlace>,
    signal: AbortSignal,
  ): MaybePromise<TaskKinds[Kind]['answer']> {
    if (performance.now() < this.#crowdedUntil)
      return this.#turn().then(() => this.#begin(kind, question, findPlace, signal))
    return this.#begin(kind, question, findPlace, signal)
  }

  /** One call a turn of the event loop: others are answered in between. */
  #turn(): Promise<void> {
    this.#turns = this.#turns.then(() => new Promise((resolve) => setImmediate(resolve)))
    return this.#turns
  }

  #begin<Kind extends TaskKind>(
    kind: Kind,
    question: TaskKinds[Kind]['question'],
    findPlace: () => MaybePromise<TaskPlace>,
    signal: AbortSignal,
  ): MaybePromise<TaskKinds[Kind]['answer']> {
    const place = findPlace()
    if (place instanceof Promise) return place.then((known) => this.#runAt(kind, question, known, signal))
    return this.#runAt(kind, question, place, signal)
  }

  #runAt<Kind extends TaskKind>(
    kind: Kind,
    question: TaskKinds[Kind]['question'],
    place: TaskPlace,
    signal: AbortSignal,
  ): MaybePromise<TaskKinds[Kind]['answer']> {
    const task = { kind, place, question }
    const end = performance.now() + this.#inline.milliseconds
    try {
      return this.#dependencies.runner.run(task, { deadline: () => end, gasBudget: this.#inline.gas })
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error
      this.#crowdedUntil = performance.now() + crowdedMs
      return this.#dependencies.workers.run(task, classes[kind], signal)
    }
  }

  #place(at: BlockRef): MaybePromise<TaskPlace> {
    const height = this.#dependencies.resolve(at)
    if (height === undefined) throw headerNotFound()
    if (height !== 'pending') return this.#placeAt(height, undefined)
    return this.#dependencies
      .pending()
      .then(({ preview, parent }) =>
        this.#placeAt(parent, { headerRlp: encodeHeader(preview.header), changes: preview.changes }),
      )
  }

  /** In a block, before one of its transactions: as if the block were yet to come. */
  #placeBefore(at: BlockRef, index: number, signal: AbortSignal): MaybePromise<TaskPlace> {
    const { resolve, headerRlp, transactionCount } = this.#dependencies
    const height = resolve(at)
    if (height === 'pending') throw pendingStatesNotServed()
    const count = height === undefined ? undefined : transactionCount(height)
    const header = height === undefined ? undefined : headerRlp(height)
    if (height === undefined || count === undefined || header === undefined) throw headerNotFound()
    if (index === count) return this.#placeAt(height, undefined)
    if (index > count) throw refused(`transaction index ${index} is past the ${count} of the block`)
    const placeIn = (changes: WorldChanges) => this.#placeAt(height - 1, { headerRlp: header, changes })
    const changes = this.#replay(height, index, signal)
    return changes instanceof Promise ? changes.then(placeIn) : placeIn(changes)
  }

  #placeAt(height: number, pending: TaskPlace['pending']): TaskPlace {
    const hash = this.#dependencies.hashAt(height)
    if (hash === undefined) throw headerNotFound()
    return { height, hash, pending }
  }
}
