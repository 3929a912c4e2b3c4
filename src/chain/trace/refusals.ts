import { toHex } from '../../base/hex.ts'
import { ChainError } from '../chainError.ts'
import type { BlockRef } from '../port/blockRef.ts'

/** geth's words for what cannot be traced. */

export const notTraceable = (): ChainError => new ChainError('refused', 'genesis is not traceable')

export const pendingNotTraceable = (): ChainError =>
  new ChainError('refused', 'tracing on top of pending is not supported')

export const transactionNotFound = (): ChainError => new ChainError('refused', 'transaction not found')

export const blockNotFound = (at: BlockRef): ChainError =>
  new ChainError('refused', `block ${nameOf(at)} not found`)

const nameOf = (at: BlockRef): string => {
  if (at.kind === 'hash') return toHex(at.hash)
  return at.kind === 'number' ? `#${at.number}` : at.tag
}
