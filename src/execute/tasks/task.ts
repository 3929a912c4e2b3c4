import type {
  AccessListOutcome,
  CallBundle,
  CallOutcome,
  CallRequest,
  CallWitness,
  EstimateOutcome,
  WitnessQuestion,
} from '../../chain/port/executor.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import type { AccountOverride } from '../../chain/state/overrides.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { BlockPreview, PendingBlockRequest } from '../pending/buildPendingBlock.ts'

/** The block that a task runs on. It is plain data, because it is posted to workers. */
export interface TaskBlock {
  readonly height: number
  /** The hash of the block at `height`. The chain may have another block there when the task runs. */
  readonly hash: Uint8Array
  /** The pending block on top of that block; it is not stored. */
  readonly pending: { readonly headerRlp: Uint8Array; readonly changes: StateChanges } | undefined
  /**
   * Whether it was the head when it was asked about, so that changes from outside a block are seen. The next block may be
   * stored when the task runs. Defaults to false.
   */
  readonly isHead?: boolean | undefined
}

/** The types of request and result for each kind of task. */
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
  /** Returns the changes of the first `count` transactions of the block after `block`. */
  readonly replay: { readonly request: { readonly count: number }; readonly result: StateChanges }
  /** Returns what running a request reads, with its proofs. */
  readonly witness: { readonly request: WitnessQuestion; readonly result: CallWitness }
  /** Returns the executed block that would follow `block`. */
  readonly pendingBlock: { readonly request: PendingBlockRequest; readonly result: BlockPreview }
}

export type TaskKind = keyof TaskKinds

export interface Task<Kind extends TaskKind = TaskKind> {
  readonly kind: Kind
  readonly block: TaskBlock
  readonly request: TaskKinds[Kind]['request']
}
