import { unsupported } from '../../chain/chainError.ts'
import type { AccountProof, StateView } from '../../chain/port/state.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { openStateReader } from './openState.ts'
import { OverlayStateView } from './overlayStateView.ts'
import { StoredStateView } from './storedState.ts'

/** The state of the head with changes from outside a block. No header has the root of it, so that nothing can be proved. */
class EditedStateView extends OverlayStateView {
  override prove(): AccountProof {
    throw unsupported(
      'the state of this block was changed by a dev method since it was made, and its root does not hold the change: mine a block (evm_mine) and ask again',
    )
  }
}

/** Returns the view that clients have of the state at a height. */
export const openStateView = (state: StateStore, height: number): StateView => {
  const reader = openStateReader(state, height)
  if (!state.isEdited(height)) return new StoredStateView(reader)
  return new EditedStateView(reader, state.edits(height))
}
