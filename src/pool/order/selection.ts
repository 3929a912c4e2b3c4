import type { PoolAccount } from '../account.ts'
import type { PoolSettings, PoolTransaction } from '../types.ts'
import { Heap } from './heap.ts'
import { type BlockPrices, payableTip } from './prices.ts'

export interface SelectionLimits extends BlockPrices {
  readonly gasLimit: bigint
  /** The limit for the canonical forms of all transactions together. */
  readonly maxBytes: number
  readonly maxBlobs: number
}

interface SenderRun {
  readonly transactions: readonly PoolTransaction[]
  readonly at: number
  readonly tip: bigint
  readonly arrival: number
}

const comesBefore: Readonly<Record<PoolSettings['order'], (a: SenderRun, b: SenderRun) => boolean>> = {
  fees: (a, b) => (a.tip === b.tip ? a.arrival < b.arrival : a.tip > b.tip),
  fifo: (a, b) => a.arrival < b.arrival,
}

const blobCountOf = ({ transaction }: PoolTransaction): number =>
  transaction.type === 3 ? transaction.blobVersionedHashes.length : 0

/**
 * Returns the best transactions first: by effective tip, then by arrival, or by arrival alone; those of one sender by nonce. A transaction
 * that does not fit, or does not pay, ends the selection for its sender, because later ones cannot be
 * executed without it.
 */
export function* selectTransactions(
  accounts: Iterable<PoolAccount>,
  limits: SelectionLimits,
  order: PoolSettings['order'],
): Generator<PoolTransaction, void> {
  const { maxBytes, maxBlobs } = limits
  const runAt = (transactions: readonly PoolTransaction[], at: number): SenderRun | undefined => {
    const tx = transactions[at]
    if (tx === undefined) return undefined
    const tip = payableTip(tx, limits)
    return tip === undefined ? undefined : { transactions, at, tip, arrival: tx.arrival }
  }
  const runs: SenderRun[] = []
  for (const { pending } of accounts) {
    const run = runAt(pending, 0)
    if (run !== undefined) runs.push(run)
  }
  const heap = new Heap(comesBefore[order], runs)
  let gas = limits.gasLimit
  let bytes = maxBytes
  let blobs = maxBlobs
  for (let run = heap.peek(); run !== undefined; run = heap.peek()) {
    const tx = run.transactions[run.at] as PoolTransaction
    const blobCount = blobCountOf(tx)
    const fits = tx.transaction.gasLimit <= gas && tx.raw.length <= bytes && blobCount <= blobs
    const next = fits ? runAt(run.transactions, run.at + 1) : undefined
    if (next === undefined) heap.pop()
    else heap.replaceTop(next)
    if (!fits) continue
    gas -= tx.transaction.gasLimit
    bytes -= tx.raw.length
    blobs -= blobCount
    yield tx
    // No transaction is cheaper than a transfer.
    if (gas < 21_000n) return
  }
}
