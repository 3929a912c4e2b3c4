import type { PoolAccount } from '../account.ts'
import type { PoolContents } from '../poolContents.ts'
import type { PoolHead, PoolSettings, PoolTransaction } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

/** The rules that depend on the head's state and on what the sender has in the pool, in geth's order. */
export const checkState = (
  tx: PoolTransaction,
  account: PoolAccount,
  book: PoolContents,
  head: PoolHead,
  settings: PoolSettings,
): Rejection | undefined => {
  const { nonce, type } = tx.transaction
  if (nonce < account.nonce) return reject('nonceTooLow', account.nonce, nonce)
  // EIP-3607; geth finds out when it executes.
  if (account.codeKind === 'contract') return reject('senderIsContract', account.address)
  if (settings.refuseBelowBaseFee && tx.feeCap < head.baseFee)
    return reject('belowBaseFee', account.address, tx.feeCap, head.baseFee)
  // Sidecars are large: none is kept for a transaction that cannot run yet.
  if (type === 3 && nonce > account.next) return reject('nonceTooHigh', nonce, account.next)
  return (
    checkFunds(tx, account) ??
    checkBlobShare(tx, account) ??
    checkDelegation(tx, account, book) ??
    checkAuthorities(tx, book)
  )
}

const checkFunds = ({ cost, transaction }: PoolTransaction, account: PoolAccount): Rejection | undefined => {
  const { balance, pendingCost } = account
  if (balance < cost) return reject('insufficientFunds', balance, cost)
  const old = account.pendingAt(transaction.nonce)
  if (old === undefined)
    return balance < pendingCost + cost
      ? reject('insufficientFundsForAll', balance, pendingCost, cost)
      : undefined
  const bump = cost - old.cost
  return balance < pendingCost + bump
    ? reject('insufficientFundsForBump', balance, pendingCost, bump)
    : undefined
}

/** Blob transactions that an account may have in the pool, as in geth's blob pool. */
const maxBlobTransactions = 16

const checkBlobShare = ({ transaction }: PoolTransaction, account: PoolAccount): Rejection | undefined => {
  if (transaction.type !== 3 || account.pendingAt(transaction.nonce) !== undefined) return undefined
  const pooled = account.pending.filter((other) => other.transaction.type === 3).length
  return pooled >= maxBlobTransactions ? reject('accountLimit', pooled) : undefined
}

/**
 * An account whose code another's transaction can run may be emptied by anybody, so it has one transaction in flight;
 * so has one that is about to become such an account.
 */
const checkDelegation = (
  { transaction }: PoolTransaction,
  account: PoolAccount,
  book: PoolContents,
): Rejection | undefined => {
  if (account.codeKind !== 'delegation' && !book.isAuthority(account)) return undefined
  if (account.pending.length === 0)
    return transaction.nonce === account.next ? undefined : reject('gappedFromDelegated')
  return account.pendingAt(transaction.nonce) ? undefined : reject('delegatedInFlight')
}

const checkAuthorities = ({ authorities }: PoolTransaction, book: PoolContents): Rejection | undefined => {
  for (const id of authorities) {
    const authority = book.accountById(id)
    if (authority && authority.pending.length + authority.queued.length > 1)
      return reject('authorityReserved')
  }
  return undefined
}
