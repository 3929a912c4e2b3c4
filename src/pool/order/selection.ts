import type { PoolAccount } from '../account.ts'
import { effectiveTip } from '../admission/submission.ts'
import type { PoolTransaction } from '../types.ts'
import { Heap } from './heap.ts'

export interface SelectionLimits {
  readonly baseFee: bigint
  /** Zero before Cancun. */
  readonly blobBaseFee: bigint
  readonly minTip: bigint
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

const comesBefore = (a: SenderRun, b: SenderRun): boolean =>
  a.tip === b.tip ? a.arrival < b.arrival : a.tip > b.tip

const blobCountOf = ({ transaction }: PoolTransaction): number =>
  transaction.type === 3 ? transaction.blobVersionedHashes.length : 0

/**
 * Returns the best transactions first: by effective tip, then by arrival, those of one sender by nonce. One
 * that does not fit, or does not pay, ends the selection for its sender, because later ones cannot be
 * executed without it.
 */
export function* selectTransactions(
  accounts: Iterable<PoolAccount>,
  limits: SelectionLimits,
): Generator<PoolTransaction, void> {
  const { baseFee, blobBaseFee, minTip, maxBytes, maxBlobs } = limits
  const runAt = (transactions: readonly PoolTransaction[], at: number): SenderRun | undefined => {
    const tx = transactions[at]
    if (tx === undefined) return undefined
    const { transaction } = tx
    if (transaction.type === 3 && transaction.maxFeePerBlobGas < blobBaseFee) return undefined
    const tip = effectiveTip(tx, baseFee)
    return tip < minTip || tip < 0n ? undefined : { transactions, at, tip, arrival: tx.arrival }
  }
  const runs: SenderRun[] = []
  for (const { pending } of accounts) {
    const run = runAt(pending, 0)
    if (run !== undefined) runs.push(run)
  }
  const heap = new Heap(comesBefore, runs)
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
