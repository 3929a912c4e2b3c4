import { pruned, statePrunedError } from '../chain/chainError.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

/** Throws if the chain cannot go back to a height, because its state or its block is pruned. */
export const assertRevertible = (
  { state, blocks }: { readonly state: StateStore; readonly blocks: BlockStoreReader },
  height: number,
): void => {
  const { oldest } = state
  if (oldest !== undefined && height < oldest) throw statePrunedError(height, oldest)
  if (!blocks.isRetained(height))
    throw pruned(`block ${height} is pruned: the earliest that is kept is ${blocks.meta.oldestBody()}`)
}
