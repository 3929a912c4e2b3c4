import { pruned } from '../chain/chainError.ts'
import type { BlockStoreReader } from '../store/blockStoreReader.ts'

/** Undefined where there is no such block; throws where there was one and it, or a part of it, is not kept. */
export const assertNotPruned = (
  blocks: Pick<BlockStoreReader, 'head' | 'isRetained' | 'meta'>,
  number: number,
): undefined => {
  const head = blocks.head()
  if (head !== undefined && number <= head.number && !blocks.isRetained(number))
    throw pruned(`block ${number} is pruned: the earliest that is kept is ${blocks.meta.oldestBody()}`)
}
