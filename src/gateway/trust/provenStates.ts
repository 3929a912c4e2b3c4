import type { Logger } from '../../base/logging/log.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import type { ProofKind, ProvingBlocks } from '../../light/state/proofKind.ts'
import { StateProofs } from '../../light/state/stateProofs.ts'

interface ProvenStatesOptions {
  readonly kind: ProofKind
  readonly chainInfo: ChainInfo
  /** Whether the newest block that is served is confirmed by a header that is not stored. */
  readonly isHeadConfirmed: () => boolean
  readonly blocks: ProvingBlocks
  readonly nativeBlockInfo: Pick<NativeBlockInfoReader, 'summaryAt' | 'nativeHashAt'>
  readonly headNumber: () => number
  readonly log: Logger
}

/** Creates what proves states by the stored blocks. */
export const provenStates = (options: ProvenStatesOptions): StateProofs => {
  const { kind, chainInfo, isHeadConfirmed, blocks, nativeBlockInfo, headNumber, log } = options
  // A block that was held until the next header has proven it has the AppHash of that header, if its engine tells it. A block that
  // was stored before this start may have been served without, and has what a node said.
  const heldAppHash = (height: number): Uint8Array | undefined =>
    height === headNumber() && isHeadConfirmed() ? nativeBlockInfo.summaryAt(height)?.appHash : undefined
  let checked = { head: -1, isConfirmed: false, isHeld: false }
  return new StateProofs({
    rules: kind.rulesOf(chainInfo, blocks),
    kind,
    highest: () => {
      const head = headNumber()
      const isConfirmed = isHeadConfirmed()
      if (checked.head !== head || checked.isConfirmed !== isConfirmed)
        checked = { head, isConfirmed, isHeld: heldAppHash(head) !== undefined }
      return checked.isHeld ? head : head - 1
    },
    committed: (height) => {
      const appHash = kind.appHashAfter(height, blocks) ?? heldAppHash(height)
      return appHash && { appHash, hash: nativeBlockInfo.nativeHashAt(height + 1) }
    },
    log,
  })
}
