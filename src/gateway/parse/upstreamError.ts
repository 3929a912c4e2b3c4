/** A node said what cannot be: its answer is not well formed, or contradicts itself or what is known of the chain. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}
