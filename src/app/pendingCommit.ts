import { beginStage, endStage } from '../base/profiling/stages.ts'
import type { PreparedState } from '../state/stateStore.ts'
import type { AppHead } from './appHead.ts'

/** What a block writes when it is committed. */
export interface PendingCommit {
  readonly head: AppHead
  readonly state: PreparedState
  /** Writes the block's rows; called inside the write transaction. */
  readonly writeRows: () => void
}

/** Returns the same commit, which tells what its stages took. */
export const withStages = (pending: PendingCommit): PendingCommit & { readonly end: () => void } => {
  let begun = beginStage()
  return {
    ...pending,
    state: {
      ...pending.state,
      write: () => {
        begun = endStage('begin', begun, 0, 'wait')
        pending.state.write()
      },
    },
    writeRows: () => {
      pending.writeRows()
      begun = endStage('write', begun, 0)
    },
    end: () => {
      endStage('sync', begun, 0, 'wait')
    },
  }
}
