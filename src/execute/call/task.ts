import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallQuestion,
  EstimateOutcome,
} from '../../chain/port/executor.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { WorldChanges } from '../../chain/state/world.ts'

/** Where a task runs. Plain data: it goes to workers. */
export interface TaskPlace {
  readonly height: number
  /** Of the block at the height: it may be another one by the time the task runs. */
  readonly hash: Uint8Array
  /** The block after that one, which is nowhere written. */
  readonly pending: { readonly headerRlp: Uint8Array; readonly changes: WorldChanges } | undefined
}

/** Questions and their answers, by kind. */
export interface TaskKinds {
  readonly call: { readonly question: CallQuestion; readonly answer: CallOutcome }
  readonly estimate: { readonly question: CallQuestion; readonly answer: EstimateOutcome }
  readonly accessList: { readonly question: CallQuestion; readonly answer: AccessListOutcome }
  readonly many: {
    readonly question: {
      readonly bundles: readonly CallBundle[]
      readonly stateOverrides: readonly AccountOverride[] | undefined
    }
    readonly answer: readonly (readonly (CallOutcome | string)[])[]
  }
  readonly simulate: { readonly question: Simulation; readonly answer: SimulationOutcome }
  /** The place is the parent: what the first so many transactions of the block after it change. */
  readonly replay: { readonly question: { readonly count: number }; readonly answer: WorldChanges }
}

export type TaskKind = keyof TaskKinds

export interface Task<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind
  readonly place: TaskPlace
  readonly question: TaskKinds[Kind]['question']
}
