import { equalBytes } from '../../base/bytes.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { ChainError, headerNotFound, refused, statePrunedError } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { CallOutcome, CallRequest } from '../../chain/port/executor.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import type { Evm } from '../../evm/evm.ts'
import { type StateStore, UnknownHeightError } from '../../state/store.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { createOverlay } from '../overlay/overlay.ts'
import { simulate } from '../simulate/simulate.ts'
import { createAccessList } from './accessList.ts'
import { type BudgetOptions, ExecutionBudget } from './budget.ts'
import { CallEnvironment, type StateAndHeader, toCallOutcome } from './environment.ts'
import { estimateGas } from './estimate.ts'
import { MessageError } from './message.ts'
import { replayTransactions } from './replay.ts'
import type { Task, TaskBlock, TaskKind, TaskKinds } from './task.ts'

export interface RunnerDependencies {
  readonly config: ChainConfig
  readonly state: StateStore
  readonly blocks: BlockStoreReader
  readonly evm: Evm
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
  run<Kind extends TaskKind>(task: Task<Kind>, allowance: BudgetOptions): TaskKinds[Kind]['result'] {
    const stateAndHeader = this.#open(task.block)
    const budget = new ExecutionBudget(allowance)
    // The kind fixes question and answer; TypeScript cannot follow that through a switch.
    return this.#dispatch(task as Task, stateAndHeader, budget) as TaskKinds[Kind]['result']
  }

  #dispatch(task: Task, place: StateAndHeader, meter: ExecutionBudget): TaskKinds[TaskKind]['result'] {
    switch (task.kind) {
      case 'call':
        return this.#call(task.request as CallRequest, place, meter)
      case 'estimate': {
        const { request, ...overrides } = task.request as CallRequest
        return estimateGas(this.#environment(place, overrides), request, this.#gasCap, meter)
      }
      case 'accessList': {
        const { request, ...overrides } = task.request as CallRequest
        return createAccessList(this.#environment(place, overrides), request, this.#gasCap, meter)
      }
      case 'many':
        return this.#callMany(task.request as TaskKinds['many']['request'], place, meter)
      case 'simulate':
        return this.#simulate(task.request as Simulation, task.block, place, meter)
      case 'replay':
        return this.#replay(
          task.block.height + 1,
          (task.request as { readonly count: number }).count,
          place,
          meter,
        )
    }
  }

  #simulate(
    simulation: Simulation,
    { height, pending }: TaskBlock,
    place: StateAndHeader,
    budget: ExecutionBudget,
  ): SimulationOutcome {
    const { evm, config, state } = this.#dependencies
    const before = pending?.changes ?? noChanges
    const rootAfter = (changes: StateChanges) => state.rootAfter(height, mergeChanges(before, changes))
    return simulate({ evm, config, budget, gasCap: this.#gasCap, rootAfter }, place, simulation)
  }

  #replay(height: number, count: number, base: StateAndHeader, meter: ExecutionBudget): StateChanges {
    const { evm, config, blocks } = this.#dependencies
    const header = blocks.header(height)
    const transactions = blocks.rawTransactions(height)
    if (header === undefined || transactions === undefined) throw headerNotFound()
    return replayTransactions(evm, config, { ...base, header }, transactions.slice(0, count), meter)
  }

  #environment(place: StateAndHeader, overrides: Omit<CallRequest, 'request'>): CallEnvironment {
    return new CallEnvironment(this.#dependencies.evm, this.#dependencies.config, place, overrides)
  }

  #call({ request, ...overrides }: CallRequest, place: StateAndHeader, meter: ExecutionBudget): CallOutcome {
    const environment = this.#environment(place, overrides)
    const prepared = environment.prepare(request)
    const gasLimit = this.#capped(request)
    try {
      return toCallOutcome(environment.run(prepared, gasLimit, meter))
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      throw refused(`err: ${error.message} (supplied gas ${gasLimit})`)
    }
  }

  /** Each bundle is a block, one number and one second after the one before it. */
  #callMany(
    { bundles, stateOverrides }: TaskKinds['many']['request'],
    place: StateAndHeader,
    meter: ExecutionBudget,
  ): readonly (readonly (CallOutcome | string)[])[] {
    let evmState = this.#environment(place, { stateOverrides }).world
    return bundles.map(({ requests, blockOverrides }, index) => {
      const { header } = place
      const blockOf = { number: header.number + BigInt(index), timestamp: header.timestamp + BigInt(index) }
      const site = this.#environment(
        { ...place, header: { ...header, ...blockOf } },
        { blockOverrides, stateOverrides },
      )
      site.world = evmState
      const outcomes = requests.map((request) => this.#callInBundle(site, request, meter))
      evmState = site.world
      return outcomes
    })
  }

  #callInBundle(
    site: CallEnvironment,
    request: TransactionRequest,
    meter: ExecutionBudget,
  ): CallOutcome | string {
    try {
      const { run, changes } = site.runWithChanges(site.prepare(request), this.#capped(request), meter)
      site.world = createOverlay(site.world, changes)
      return toCallOutcome(run)
    } catch (error) {
      if (error instanceof MessageError || error instanceof ChainError) return error.message
      throw error
    }
  }

  #capped({ gas }: TransactionRequest): bigint {
    return gas === undefined || gas > this.#gasCap ? this.#gasCap : gas
  }

  #open({ height, hash, pending }: TaskBlock): StateAndHeader {
    const { blocks, state } = this.#dependencies
    const known = blocks.blockHashAt(height)
    if (known === undefined || !equalBytes(known, hash)) throw headerNotFound()
    const header = pending === undefined ? blocks.header(height) : decodeHeader(pending.headerRlp)
    if (header === undefined) throw headerNotFound()
    const below = openStateReader(state, height)
    return {
      header,
      state: pending === undefined ? below : createOverlay(below, pending.changes),
      blockHash: (number) => blocks.blockHashAt(Number(number)) ?? unknownHash,
    }
  }
}

/** The state of a height; throws a `ChainError` where it is not kept. */
export const openStateReader = (state: StateStore, height: number) => {
  try {
    return state.reader(height)
  } catch (error) {
    if (!(error instanceof UnknownHeightError)) throw error
    throw statePrunedError(height, error.oldest)
  }
}
