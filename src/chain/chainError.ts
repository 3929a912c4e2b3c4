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

export const headerNotFound = (): ChainError => new ChainError('header not found', 'header not found')

/** A block, or a part of it, is not kept any more. */
export const pruned = (why: string): ChainError => new ChainError('state pruned', why)

/** The state of a height is not kept, neither here nor by any node behind this one. */
export const statePrunedError = (height: number, earliest: number | undefined): ChainError =>
  pruned(`the state of block ${height} is not kept: ${earliest ?? 'none'} is the earliest`)

export const unsupported = (why: string): ChainError => new ChainError('unsupported', why)

export const refused = (why: string): ChainError => new ChainError('refused', why)

export const limitExceeded = (why: string): ChainError => new ChainError('limit exceeded', why)

export const unavailable = (why: string): ChainError => new ChainError('unavailable', why)
