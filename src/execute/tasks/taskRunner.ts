import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeHeader } from '../../chain/block/header.ts'
import { ChainError, headerNotFound, unsupported } from '../../chain/chainError.ts'
import type { CallOutcome, CallRequest, CallWitness, WitnessQuestion } from '../../chain/port/executor.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { type BudgetOptions, ExecutionBudget } from '../call/budget.ts'
import { CallEnvironment, type StateAndHeader, toCallOutcome } from '../call/callEnvironment.ts'
import { MessageError } from '../call/callMessage.ts'
import { createAccessList } from '../call/createAccessList.ts'
import { estimateGas } from '../call/estimate.ts'
import { replayTransactions } from '../call/replayTransactions.ts'
import { cappedGas, runCall } from '../call/runCall.ts'
import { openCurrentState, openParentState, openStateReader } from '../overlay/openState.ts'
import { buildPendingBlock, type PendingBlockRequest } from '../pending/buildPendingBlock.ts'
import { createCallWitness } from '../question/callWitness.ts'
import { simulate } from '../simulate/simulate.ts'
import { HeadEnvironment } from './headEnvironment.ts'
import type { RunnerDependencies } from './runnerDependencies.ts'
import type { Task, TaskBlock, TaskKind, TaskKinds } from './task.ts'

const unknownHash = new Uint8Array(32)
const zeroAddress = new Uint8Array(20)

/** Runs tasks on the thread that it is created on: the main thread or a worker. */
export class TaskRunner {
  readonly #dependencies: RunnerDependencies
  readonly #gasCap: bigint
  readonly #head: HeadEnvironment

  constructor(gasCap: bigint, dependencies: RunnerDependencies) {
    this.#gasCap = gasCap
    this.#dependencies = dependencies
    this.#head = new HeadEnvironment(dependencies, (block) => this.#open(block, 'call'))
  }

  /** Runs a task. Throws `InterruptedError` when the budget is used up and `ChainError` if the task cannot run. */
  run<Kind extends TaskKind>(task: Task<Kind>, budgetOptions: BudgetOptions): TaskKinds[Kind]['result'] {
    this.#prefetch(task as Task)
    const budget = new ExecutionBudget(budgetOptions)
    // The kind determines the types of request and result; TypeScript cannot follow that through a switch.
    return this.#dispatch(task as Task, budget) as TaskKinds[Kind]['result']
  }

  /** Has a forked chain read at once what a call reads in any case. */
  #prefetch({ kind, block, request }: Task): void {
    const { state, blocks } = this.#dependencies
    if (state.fork === undefined || (kind !== 'call' && kind !== 'estimate' && kind !== 'accessList')) return
    const { from = zeroAddress, to, accessList = [] } = (request as CallRequest).request
    // The recipient of tips is warm from the start (EIP-3651), and so read too.
    const coinbase = blocks.header(block.height)?.beneficiary
    const addresses = [from, to, coinbase, ...accessList.map(({ address }) => address)]
    const slots = accessList.flatMap(({ address, storageKeys }) =>
      storageKeys.map((slot) => ({ kind: 'slot' as const, address, slot })),
    )
    const accounts = addresses.flatMap((address) =>
      address === undefined ? [] : [{ kind: 'account' as const, address }],
    )
    openStateReader(state, block.height).prefetch([...accounts, ...slots])
  }

  #dispatch(task: Task, budget: ExecutionBudget): TaskKinds[TaskKind]['result'] {
    const { kind, block } = task
    switch (kind) {
      case 'call':
        return this.#call(task.request as CallRequest, block, budget)
      case 'estimate': {
        const call = task.request as CallRequest
        return estimateGas(this.#environmentOf(block, call), call.request, this.#gasCap, budget)
      }
      case 'accessList': {
        const call = task.request as CallRequest
        return createAccessList(this.#environmentOf(block, call), call.request, this.#gasCap, budget)
      }
      default:
        return this.#dispatchLong(task, this.#open(block, kind), budget)
    }
  }

  #dispatchLong(
    task: Task,
    stateAndHeader: StateAndHeader,
    budget: ExecutionBudget,
  ): TaskKinds[TaskKind]['result'] {
    switch (task.kind) {
      case 'many':
        return this.#callMany(task.request as TaskKinds['many']['request'], stateAndHeader, budget)
      case 'simulate':
        return this.#simulate(task.request as Simulation, task.block, stateAndHeader, budget)
      case 'replay':
        return this.#replay(
          task.block.height + 1,
          (task.request as { readonly count: number }).count,
          stateAndHeader,
          budget,
        )
      case 'witness':
        return this.#witness(task.request as WitnessQuestion, task.block, stateAndHeader, budget)
      case 'pendingBlock': {
        const parent = { header: stateAndHeader.header, hash: task.block.hash }
        return buildPendingBlock(this.#dependencies, parent, task.request as PendingBlockRequest, budget)
      }
      default:
        throw new Error(`there is no task ${task.kind}`)
    }
  }

  /** Returns the environment of a call: the one that is kept if it is on the head and brings nothing of its own. */
  #environmentOf(block: TaskBlock, { stateOverrides, blockOverrides }: CallRequest): CallEnvironment {
    const kept =
      stateOverrides === undefined && blockOverrides === undefined ? this.#head.at(block) : undefined
    return kept ?? this.#environment(this.#open(block, 'call'), { stateOverrides, blockOverrides })
  }

  #simulate(
    simulation: Simulation,
    { height, pending, isHead = false }: TaskBlock,
    stateAndHeader: StateAndHeader,
    budget: ExecutionBudget,
  ): SimulationOutcome {
    const { evm, config, state } = this.#dependencies
    const seesEdits = pending !== undefined || isHead || state.isEdited(height)
    const edits = seesEdits ? state.edits(height) : noChanges
    const before = mergeChanges(edits, pending?.changes ?? noChanges)
    const rootAfter = (changes: StateChanges) => state.rootAfter(height, mergeChanges(before, changes))
    return simulate({ evm, config, budget, gasCap: this.#gasCap, rootAfter }, stateAndHeader, simulation)
  }

  #witness(
    question: WitnessQuestion,
    { height, pending }: TaskBlock,
    base: StateAndHeader,
    budget: ExecutionBudget,
  ): CallWitness {
    if (pending !== undefined || this.#dependencies.state.newestEdit(height) > 0)
      throw unsupported('no header has a root of this state, so that nothing proves it')
    return createCallWitness({ ...this.#dependencies, gasCap: this.#gasCap }, base, question, budget)
  }

  #replay(height: number, count: number, base: StateAndHeader, budget: ExecutionBudget): StateChanges {
    const { evm, config, blocks } = this.#dependencies
    const header = blocks.header(height)
    const raw = blocks.rawTransactions(height)
    const senders = blocks.senders(height)
    if (header === undefined || raw === undefined || senders === undefined) throw headerNotFound()
    const transactions = raw.slice(0, count).map((bytes, index) => ({
      ...{ transaction: decodeTransaction(bytes), sender: senders[index] as Uint8Array }, // as many as transactions
    }))
    return replayTransactions(evm, config, { ...base, header }, transactions, budget)
  }

  #environment(stateAndHeader: StateAndHeader, overrides: Omit<CallRequest, 'request'>): CallEnvironment {
    return new CallEnvironment(this.#dependencies.evm, this.#dependencies.config, stateAndHeader, overrides)
  }

  #call(call: CallRequest, block: TaskBlock, budget: ExecutionBudget): CallOutcome {
    return runCall(this.#environmentOf(block, call), call.request, this.#gasCap, budget)
  }

  /**
   * Runs bundles of calls. Each bundle is a block whose number and time are one more than those of the previous one.
   */
  #callMany(
    { bundles, stateOverrides }: TaskKinds['many']['request'],
    stateAndHeader: StateAndHeader,
    budget: ExecutionBudget,
  ): readonly (readonly (CallOutcome | string)[])[] {
    let evmState = this.#environment(stateAndHeader, { stateOverrides }).state
    return bundles.map(({ requests, blockOverrides }, index) => {
      const { header } = stateAndHeader
      const position = { number: header.number + BigInt(index), timestamp: header.timestamp + BigInt(index) }
      const environment = this.#environment(
        { ...stateAndHeader, header: { ...header, ...position } },
        { blockOverrides, stateOverrides },
      )
      environment.state = evmState
      const outcomes = requests.map((request) => this.#callInBundle(environment, request, budget))
      evmState = environment.state
      return outcomes
    })
  }

  #callInBundle(
    environment: CallEnvironment,
    request: TransactionRequest,
    budget: ExecutionBudget,
  ): CallOutcome | string {
    try {
      const { run, changes } = environment.runWithChanges(
        environment.prepare(request),
        cappedGas(request, this.#gasCap),
        budget,
      )
      environment.state = createOverlay(environment.state, changes)
      return toCallOutcome(run)
    } catch (error) {
      if (error instanceof MessageError || error instanceof ChainError) return error.message
      throw error
    }
  }

  #open({ height, hash, pending, isHead = false }: TaskBlock, kind: TaskKind): StateAndHeader {
    const { blocks, state } = this.#dependencies
    const known = blocks.blockHashAt(height)
    if (known === undefined || !equalBytes(known, hash)) throw headerNotFound()
    const header = pending === undefined ? blocks.header(height) : decodeHeader(pending.headerRlp)
    if (header === undefined) throw headerNotFound()
    // What comes after the block starts from its state with the changes from outside a block, which its clients see too.
    const seesEdits = pending !== undefined || isHead || kind === 'replay'
    const base = seesEdits ? openParentState(state, height) : openCurrentState(state, height)
    return {
      header,
      state: pending === undefined ? base : createOverlay(base, pending.changes),
      blockHash: (number) =>
        blocks.blockHashAt(Number(number)) ?? state.fork?.blockHash(Number(number)) ?? unknownHash,
    }
  }
}
