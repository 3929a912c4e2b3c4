import { type BlockAttributes, type BlockInputs, toBlockInputs } from '../../app/blockInputs.ts'
import type { BlockBudget } from '../../app/executeBlock.ts'
import { type PreviewDependencies, previewBlock } from '../../app/nextBlock.ts'
import { unpackCandidates } from '../../app/packing.ts'
import type { Header } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { InterruptedError } from '../../evm/types.ts'
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

type BuildDependencies = PreviewDependencies & { readonly config: ChainConfig }

/** How much of the time that is left the first attempt may take, and the second. */
const firstShare = 0.4
const secondShare = 0.8

/**
 * Executes a pending block on top of `parent`, as the application would. If the time is too short for all transactions,
 * the block has the first ones only, so that there always is a pending block.
 */
export const buildPendingBlock = (
  dependencies: BuildDependencies,
  parent: ParentBlock,
  { attributes, transactions }: PendingBlockRequest,
  budget: ExecutionBudget,
): BlockPreview => {
  const candidates = unpackCandidates(transactions)
  const inputs = toBlockInputs(parent.header, parent.hash, attributes)
  const build = (count: number, limit: BlockBudget): BlockPreview =>
    preview(dependencies, inputs, candidates.slice(0, count), limit)
  if (!budget.isFinal) return build(candidates.length, budget)
  const first = new CountingBudget(budget.part(firstShare))
  return (
    attempt(budget, () => build(candidates.length, first)) ??
    attempt(budget, () => build(Math.min(first.finished, candidates.length - 1), budget.part(secondShare))) ??
    build(0, budget)
  )
}

/** Returns undefined if a part of the time is used up, but not all of it. */
const attempt = (whole: ExecutionBudget, build: () => BlockPreview): BlockPreview | undefined => {
  try {
    return build()
  } catch (error) {
    const isTooLong = error instanceof InterruptedError && error.reason === 'deadline' && whole.hasTime
    if (!isTooLong) throw error
    return undefined
  }
}

/** Counts the transactions that were executed to their end. */
class CountingBudget implements BlockBudget {
  readonly #budget: BlockBudget
  #checks = 0

  constructor(budget: BlockBudget) {
    this.#budget = budget
  }

  /** The budget is checked before each transaction. */
  get finished(): number {
    return Math.max(0, this.#checks - 1)
  }

  limits(): ReturnType<BlockBudget['limits']> {
    this.#checks = 0
    return this.#budget.limits()
  }

  check(): void {
    this.#checks++
    this.#budget.check()
  }

  spend(gas: bigint): void {
    this.#budget.spend(gas)
  }
}

const preview = (
  dependencies: BuildDependencies,
  inputs: BlockInputs,
  candidates: readonly RecoveredTransaction[],
  budget: BlockBudget,
): BlockPreview => {
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
