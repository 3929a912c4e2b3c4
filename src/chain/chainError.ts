import { ThreadError } from '../base/threads/threadRpc.ts'

/** Why the chain cannot serve a request; each kind has one error on the wire. */
export type ChainErrorKind =
  /** A block that the request needs does not exist (state, calls, traces). */
  | 'header not found'
  /** The block is known, but its state is pruned. */
  | 'state pruned'
  /** This chain does not support the request, or not in this mode. */
  | 'unsupported'
  /** The pool or the engine rejects the request; the message is geth's wording. */
  | 'refused'
  /** The request exceeds a limit that a setting sets; the message names it. */
  | 'limit exceeded'
  /** The process behind the chain does not respond now. */
  | 'unavailable'

export interface ChainErrorDetails {
  /** Whether another try is likely to bring the same. */
  readonly isLasting?: boolean | undefined
  /** The hash of the transaction without which a block could be made, in hex. */
  readonly transaction?: string | undefined
}

export class ChainError extends Error {
  override readonly name = 'ChainError'
  readonly kind: ChainErrorKind
  readonly isLasting: boolean
  readonly transaction: string | undefined

  constructor(
    kind: ChainErrorKind,
    message: string,
    { isLasting = false, transaction }: ChainErrorDetails = {},
  ) {
    super(message)
    this.kind = kind
    this.isLasting = isLasting
    this.transaction = transaction
  }
}

/** Creates the error that another thread threw from its members. */
export const fromChainErrorMembers = (
  message: string,
  { kind, ...details }: Readonly<Record<string, unknown>>,
): ChainError => new ChainError(kind as ChainErrorKind, message, details as ChainErrorDetails)

/** Returns the error that another thread threw, if it was one of these. */
export const toThrownChainError = (error: unknown): ChainError | undefined =>
  error instanceof ThreadError && error.thrownName === 'ChainError'
    ? fromChainErrorMembers(error.message, error.details)
    : undefined

export const headerNotFound = (): ChainError => new ChainError('header not found', 'header not found')

/** Creates the error for a block, or a part of it, that is pruned. */
export const pruned = (why: string): ChainError => new ChainError('state pruned', why)

/** Creates the error for a state that neither this node nor any upstream keeps. */
export const statePrunedError = (height: number, earliest: number | undefined): ChainError =>
  pruned(`the state of block ${height} is not kept: ${earliest ?? 'none'} is the earliest`)

export const unsupported = (why: string): ChainError => new ChainError('unsupported', why)

export const refused = (why: string): ChainError => new ChainError('refused', why)

export const limitExceeded = (why: string): ChainError => new ChainError('limit exceeded', why)

export const unavailable = (why: string): ChainError => new ChainError('unavailable', why)

/** Returns whether an error says that the process behind the chain does not respond now. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof ChainError && error.kind === 'unavailable'
