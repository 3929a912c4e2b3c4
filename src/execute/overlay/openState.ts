import { statePrunedError } from '../../chain/chainError.ts'
import { type StateStore, UnknownHeightError } from '../../state/stateStore.ts'

/** Returns a reader of the state at a height; throws a `ChainError` if that state was pruned. */
export const openStateReader = (state: StateStore, height: number) => open(height, () => state.reader(height))

/** Returns the state that clients see at a height. */
export const openCurrentState = (state: StateStore, height: number) =>
  open(height, () => state.currentState(height))

/** Returns the state that the block after a height starts from. */
export const openParentState = (state: StateStore, height: number) =>
  open(height, () => state.parentState(height))

const open = <R>(height: number, read: () => R): R => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof UnknownHeightError)) throw error
    throw statePrunedError(height, error.oldest)
  }
}
