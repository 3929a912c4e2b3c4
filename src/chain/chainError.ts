/** What can be wrong with a question about the chain; each kind has one answer on the wire. */
export type ChainErrorKind =
  /** There is no such block, where one is needed (state, calls, traces). */
  | 'header not found'
  /** The block is known, its state is not kept any more. */
  | 'state pruned'
  /** This chain cannot do it, or not in this mode. */
  | 'unsupported'
  /** The pool or the engine refuses; the message is geth's wording. */
  | 'refused'
  /** More is asked for than a setting allows; the message names it. */
  | 'limit exceeded'
  /** What is behind the chain does not answer now. */
  | 'unavailable'

export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly kind: ChainErrorKind

  constructor(kind: ChainErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}
