import { type BlockAttributes, toBlockInputs } from '../../app/blockInputs.ts'
import { type PreviewDependencies, previewBlock } from '../../app/nextBlock.ts'
import { unpackCandidates } from '../../app/packing.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { toReceiptTexts } from '../../store/blockRows.ts'
import type { ExecutionBudget } from '../call/budget.ts'

/** The content of a pending block before its execution. */
export interface PendingBlockRequest {
  readonly attributes: BlockAttributes
  /** The packed transactions, best first. */
  readonly transactions: Uint8Array
}

/** An executed pending block. */
export interface BlockPreview {
  readonly header: Header
  readonly hash: Uint8Array
  /** The positions of the included transactions among those of the request. */
  readonly included: readonly number[]
  /** The receipts as JSON. */
  readonly receipts: readonly string[]
  readonly changes: StateChanges
}

export interface ParentBlock {
  readonly header: Header
  readonly hash: Uint8Array
}

/** Executes a pending block on top of `parent`, as the application would. */
export const buildPendingBlock = (
  dependencies: PreviewDependencies & { readonly config: ChainConfig },
  parent: ParentBlock,
  { attributes, transactions }: PendingBlockRequest,
  budget: ExecutionBudget,
): BlockPreview => {
  const candidates = unpackCandidates(transactions)
  const inputs = toBlockInputs(parent.header, parent.hash, attributes)
  const { block, changes } = previewBlock(dependencies, dependencies.config, inputs, candidates, budget)
  const { header, hash } = block
  const hashes = new Set(block.transactions.map((transaction) => transaction.hash))
  return {
    header,
    hash,
    included: candidates.flatMap((candidate, index) => (hashes.has(candidate.hash) ? [index] : [])),
    receipts: toReceiptTexts(block).map(({ text }) => text),
    changes,
  }
}
