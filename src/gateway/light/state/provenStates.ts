import type { Logger } from '../../../base/log.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'
import type { ChainInfo } from '../../families/chainInfo.ts'
import type { NativeBlockInfoReader } from '../../follow/nativeBlockInfo.ts'
import { cosmosStateRules } from './cosmosState.ts'
import { StateProofs } from './stateProofs.ts'

interface ProvenStatesOptions {
  readonly chainInfo: ChainInfo
  /** Whether the newest block that is served is proven by a header that is not stored. */
  readonly holdNewest: boolean
  readonly blocks: Pick<BlockStoreReader, 'header' | 'blockHashAt'>
  readonly nativeBlockInfo: Pick<NativeBlockInfoReader, 'at'>
  readonly headNumber: () => number
  readonly log: Logger
}

/** Creates what proves states by the stored blocks. */
export const provenStates = (options: ProvenStatesOptions): StateProofs => {
  const { chainInfo, holdNewest, blocks, nativeBlockInfo, headNumber, log } = options
  // A block that is held until the next header has proven it has the AppHash of that header, if its engine tells it.
  const heldAppHash = (height: number): Uint8Array | undefined =>
    holdNewest ? nativeBlockInfo.at(height)?.appHash : undefined
  let checked = { head: -1, isHeld: false }
  return new StateProofs({
    rules: cosmosStateRules(chainInfo),
    highest: () => {
      const head = headNumber()
      if (checked.head !== head) checked = { head, isHeld: heldAppHash(head) !== undefined }
      return checked.isHeld ? head : head - 1
    },
    committed: (height) => {
      // The state root of a block is the AppHash of its header: that of the state before it.
      const appHash = blocks.header(height + 1)?.stateRoot ?? heldAppHash(height)
      return appHash && { appHash, hash: blocks.blockHashAt(height + 1) }
    },
    log,
  })
}
