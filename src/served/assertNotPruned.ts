import { pruned } from '../chain/chainError.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

/** Throws if the block existed and it, or a part of it, is pruned; returns undefined if there is no such block. */
export const assertNotPruned = (
  blocks: Pick<BlockStoreReader, 'head' | 'isRetained' | 'meta'>,
  number: number,
): undefined => {
  const head = blocks.head()
  if (head !== undefined && number <= head.number && !blocks.isRetained(number))
    throw pruned(`block ${number} is pruned: the earliest that is kept is ${blocks.meta.oldestBody()}`)
}
