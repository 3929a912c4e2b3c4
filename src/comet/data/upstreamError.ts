/** Thrown for a response of an upstream that is malformed, or contradicts itself or the chain. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}
