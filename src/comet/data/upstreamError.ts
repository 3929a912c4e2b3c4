/**
 * Thrown for a block that this gateway cannot take, though its upstream may be right: it is larger than the limits here,
 * or of a version that is not known here. Nobody is quarantined for it, and it is tried again later.
 */
export class UntakenBlockError extends Error {
  override readonly name = 'UntakenBlockError'
}

/** Thrown for a response of an upstream that is malformed, or contradicts itself or the chain. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}
