import type { Account } from '../account.ts'
import type { Book } from '../book.ts'
import type { PoolHead, PoolSettings, PoolTransaction } from '../types.ts'
import { type Refusal, refuse } from './refusals.ts'

/** The rules that depend on the head's state and on what the sender has in the pool, in geth's order. */
export const checkState = (
  tx: PoolTransaction,
  account: Account,
  book: Book,
  head: PoolHead,
  settings: PoolSettings,
): Refusal | undefined => {
  const { nonce, type } = tx.transaction
  if (nonce < account.nonce) return refuse('nonceTooLow', account.nonce, nonce)
  // EIP-3607; geth finds out when it executes.
  if (account.codeKind === 'contract') return refuse('senderIsContract', account.address)
  if (settings.refuseBelowBaseFee && tx.feeCap < head.baseFee)
    return refuse('belowBaseFee', account.address, tx.feeCap, head.baseFee)
  // Sidecars are large: none is kept for a transaction that cannot run yet.
  if (type === 3 && nonce > account.next) return refuse('nonceTooHigh', nonce, account.next)
  return (
    checkFunds(tx, account) ??
    checkBlobShare(tx, account) ??
    checkDelegation(tx, account, book) ??
    checkAuthorities(tx, book)
  )
}

const checkFunds = ({ cost, transaction }: PoolTransaction, account: Account): Refusal | undefined => {
  const { balance, pendingCost } = account
  if (balance < cost) return refuse('insufficientFunds', balance, cost)
  const old = account.pendingAt(transaction.nonce)
  if (old === undefined)
    return balance < pendingCost + cost
      ? refuse('insufficientFundsForAll', balance, pendingCost, cost)
      : undefined
  const bump = cost - old.cost
  return balance < pendingCost + bump
    ? refuse('insufficientFundsForBump', balance, pendingCost, bump)
    : undefined
}

/** Blob transactions that an account may have in the pool, as in geth's blob pool. */
const maxBlobTransactions = 16

const checkBlobShare = ({ transaction }: PoolTransaction, account: Account): Refusal | undefined => {
  if (transaction.type !== 3 || account.pendingAt(transaction.nonce) !== undefined) return undefined
  const pooled = account.pending.filter((other) => other.transaction.type === 3).length
  return pooled >= maxBlobTransactions ? refuse('accountLimit', pooled) : undefined
}

/**
 * An account whose code another's transaction can run may be emptied by anybody, so it has one transaction in flight;
 * so has one that is about to become such an account.
 */
const checkDelegation = (
  { transaction }: PoolTransaction,
  account: Account,
  book: Book,
): Refusal | undefined => {
  if (account.codeKind !== 'delegation' && !book.isAuthority(account)) return undefined
  if (account.pending.length === 0)
    return transaction.nonce === account.next ? undefined : refuse('gappedFromDelegated')
  return account.pendingAt(transaction.nonce) ? undefined : refuse('delegatedInFlight')
}

const checkAuthorities = ({ authorities }: PoolTransaction, book: Book): Refusal | undefined => {
  for (const id of authorities) {
    const authority = book.accountById(id)
    if (authority && authority.pending.length + authority.queued.length > 1)
      return refuse('authorityReserved')
  }
  return undefined
}
