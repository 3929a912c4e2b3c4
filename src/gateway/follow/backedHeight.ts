/**
 * Returns how much counts of the height that a node claims before it has given a block: what another node has too. Where
 * there is no other, its word is all that is known.
 */
export const backedHeight = (claimed: number, others: readonly number[]): number =>
  others.length === 0 ? claimed : Math.min(claimed, Math.max(...others))
