import { equalBytes } from '../../base/bytes.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { ChainError, headerNotFound, refused, statePruned } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { CallOutcome, CallQuestion } from '../../chain/port/executor.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { WorldChanges } from '../../chain/state/world.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { Machine } from '../../evm/machine.ts'
import { type StateStore, UnknownHeightError } from '../../state/store.ts'
import type { BlockReader } from '../../store/blockReader.ts'
import { overlay } from '../overlay/overlay.ts'
import { simulate } from '../simulate/simulate.ts'
import { createAccessList } from './accessList.ts'
import { estimateGas } from './estimate.ts'
import { MessageError } from './message.ts'
import { type Allowance, Meter } from './meter.ts'
import { replay } from './replay.ts'
import { type CallPlace, CallSite, toOutcome } from './site.ts'
import type { Task, TaskKind, TaskKinds, TaskPlace } from './task.ts'

export interface RunnerDependencies {
  readonly config: ChainConfig
  readonly state: StateStore
  readonly blocks: BlockReader
  readonly machine: Machine
}

const unknownHash = new Uint8Array(32)

/** Runs tasks where it stands: on the main thread and on workers alike. */
export class TaskRunner {
  readonly #dependencies: RunnerDependencies
  readonly #gasCap: bigint

  constructor(gasCap: bigint, dependencies: RunnerDependencies) {
    this.#gasCap = gasCap
    this.#dependencies = dependencies
  }

  /** Throws `InterruptedError` past the allowance, `ChainError` where it cannot run. */
  run<Kind extends TaskKind>(task: Task<Kind>, allowance: Allowance): TaskKinds[Kind]['answer'] {
    const place = this.#open(task.place)
    const meter = new Meter(allowance)
    // The kind fixes question and answer; TypeScript cannot follow that through a switch.
    return this.#answer(task as Task, place, meter) as TaskKinds[Kind]['answer']
  }

  #answer(task: Task, place: CallPlace, meter: Meter): TaskKinds[TaskKind]['answer'] {
    switch (task.kind) {
      case 'call':
        return this.#call(task.question as CallQuestion, place, meter)
      case 'estimate': {
        const { request, ...overrides } = task.question as CallQuestion
        return estimateGas(this.#site(place, overrides), request, this.#gasCap, meter)
      }
      case 'accessList': {
        const { request, ...overrides } = task.question as CallQuestion
        return createAccessList(this.#site(place, overrides), request, this.#gasCap, meter)
      }
      case 'many':
        return this.#many(task.question as TaskKinds['many']['question'], place, meter)
      case 'simulate':
        return this.#simulate(task.question as Simulation, task.place, place, meter)
      case 'replay':
        return this.#replay(
          task.place.height + 1,
          (task.question as { readonly count: number }).count,
          place,
          meter,
        )
    }
  }

  #simulate(
    simulation: Simulation,
    { height, pending }: TaskPlace,
    place: CallPlace,
    meter: Meter,
  ): SimulationOutcome {
    const { machine, config, state } = this.#dependencies
    const before = pending?.changes ?? noChanges
    const rootAfter = (changes: WorldChanges) => state.rootAfter(height, mergeChanges(before, changes))
    return simulate({ machine, config, meter, gasCap: this.#gasCap, rootAfter }, place, simulation)
  }

  #replay(height: number, count: number, below: CallPlace, meter: Meter): WorldChanges {
    const { machine, config, blocks } = this.#dependencies
    const header = blocks.header(height)
    const transactions = blocks.rawTransactions(height)
    if (header === undefined || transactions === undefined) throw headerNotFound()
    return replay(machine, config, { ...below, header }, transactions.slice(0, count), meter)
  }

  #site(place: CallPlace, overrides: Omit<CallQuestion, 'request'>): CallSite {
    return new CallSite(this.#dependencies.machine, this.#dependencies.config, place, overrides)
  }

  #call({ request, ...overrides }: CallQuestion, place: CallPlace, meter: Meter): CallOutcome {
    const site = this.#site(place, overrides)
    const prepared = site.prepare(request)
    const gasLimit = this.#capped(request)
    try {
      return toOutcome(site.run(prepared, gasLimit, meter))
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      throw refused(`err: ${error.message} (supplied gas ${gasLimit})`)
    }
  }

  /** Each bundle is a block, one number and one second after the one before it. */
  #many(
    { bundles, stateOverrides }: TaskKinds['many']['question'],
    place: CallPlace,
    meter: Meter,
  ): readonly (readonly (CallOutcome | string)[])[] {
    let world = this.#site(place, { stateOverrides }).world
    return bundles.map(({ requests, blockOverrides }, index) => {
      const { header } = place
      const blockOf = { number: header.number + BigInt(index), timestamp: header.timestamp + BigInt(index) }
      const site = this.#site(
        { ...place, header: { ...header, ...blockOf } },
        { blockOverrides, stateOverrides },
      )
      site.world = world
      const outcomes = requests.map((request) => this.#next(site, request, meter))
      world = site.world
      return outcomes
    })
  }

  #next(site: CallSite, request: TransactionRequest, meter: Meter): CallOutcome | string {
    try {
      const { run, changes } = site.runAndTake(site.prepare(request), this.#capped(request), meter)
      site.world = overlay(site.world, changes)
      return toOutcome(run)
    } catch (error) {
      if (error instanceof MessageError || error instanceof ChainError) return error.message
      throw error
    }
  }

  #capped({ gas }: TransactionRequest): bigint {
    return gas === undefined || gas > this.#gasCap ? this.#gasCap : gas
  }

  #open({ height, hash, pending }: TaskPlace): CallPlace {
    const { blocks, state } = this.#dependencies
    const known = blocks.blockHashAt(height)
    if (known === undefined || !equalBytes(known, hash)) throw headerNotFound()
    const header = pending === undefined ? blocks.header(height) : decodeHeader(pending.headerRlp)
    if (header === undefined) throw headerNotFound()
    const below = readerAt(state, height)
    return {
      header,
      world: pending === undefined ? below : overlay(below, pending.changes),
      blockHash: (number) => blocks.blockHashAt(Number(number)) ?? unknownHash,
    }
  }
}

/** The state of a height; throws a `ChainError` where it is not kept. */
export const readerAt = (state: StateStore, height: number) => {
  try {
    return state.reader(height)
  } catch (error) {
    if (!(error instanceof UnknownHeightError)) throw error
    throw statePruned(height, error.oldest)
  }
}
