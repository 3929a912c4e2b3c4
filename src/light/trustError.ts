/**
 * Thrown where trust cannot be had though no node is proven wrong: the trusted header is too old, the clocks differ, nodes
 * disagree about what to begin with, or validators sign with keys of a kind that is not known here.
 */
export class TrustError extends Error {
  override readonly name = 'TrustError'
}

/** Thrown for validators with keys of a kind that is not known here. */
export class UnknownKeyError extends TrustError {}
