import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallRequest,
  EstimateOutcome,
} from '../../chain/port/executor.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'

/** Where a task runs. Plain data: it goes to workers. */
export interface TaskBlock {
  readonly height: number
  /** Of the block at the height: it may be another one by the time the task runs. */
  readonly hash: Uint8Array
  /** The block after that one, which is nowhere written. */
  readonly pending: { readonly headerRlp: Uint8Array; readonly changes: StateChanges } | undefined
}

/** Questions and their answers, by kind. */
export interface TaskKinds {
  readonly call: { readonly request: CallRequest; readonly result: CallOutcome }
  readonly estimate: { readonly request: CallRequest; readonly result: EstimateOutcome }
  readonly accessList: { readonly request: CallRequest; readonly result: AccessListOutcome }
  readonly many: {
    readonly request: {
      readonly bundles: readonly CallBundle[]
      readonly stateOverrides: readonly AccountOverride[] | undefined
    }
    readonly result: readonly (readonly (CallOutcome | string)[])[]
  }
  readonly simulate: { readonly request: Simulation; readonly result: SimulationOutcome }
  /** The place is the parent: what the first so many transactions of the block after it change. */
  readonly replay: { readonly request: { readonly count: number }; readonly result: StateChanges }
}

export type TaskKind = keyof TaskKinds

export interface Task<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind
  readonly block: TaskBlock
  readonly request: TaskKinds[Kind]['request']
}
