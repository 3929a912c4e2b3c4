/**
 * Thrown where trust cannot be had though no node is proven wrong: the trusted header is too old, the clocks differ, nodes
 * disagree about what to begin with, or validators sign with keys of a kind that is not known here.
 */
export class TrustError extends Error {
  override readonly name = 'TrustError'
}

/** Thrown for validators with keys of a kind that is not known here. */
export class UnknownKeyError extends TrustError {}

/** Thrown for a node with other blocks than the stored ones, while those are not proven: either may be made up. */
export class UnprovenStoreError extends TrustError {}
