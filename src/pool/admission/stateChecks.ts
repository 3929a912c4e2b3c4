import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import type { PoolAccount } from '../account.ts'
import type { PoolContents } from '../poolContents.ts'
import type { PoolHead, PoolSettings, PoolTransaction } from '../types.ts'
import { type Rejection, reject } from './rejections.ts'

/**
 * Checks the rules that depend on the head's state and on the sender's transactions in the pool, in geth's
 * order.
 */
export const checkState = (
  tx: PoolTransaction,
  account: PoolAccount,
  contents: PoolContents,
  head: PoolHead,
  settings: PoolSettings,
): Rejection | undefined => {
  const { nonce, type } = tx.transaction
  if (nonce < account.nonce) return reject('nonceTooLow', account.nonce, nonce)
  // EIP-3607; geth checks it at execution.
  if (account.codeKind === 'contract' && !isImpersonated(tx.transaction))
    return reject('senderIsContract', account.address)
  if (settings.rejectBelowBaseFee && tx.feeCap < head.baseFee)
    return reject('belowBaseFee', account.address, tx.feeCap, head.baseFee)
  // Sidecars are large: none is kept for a transaction that cannot be executed yet.
  if (type === 3 && nonce > account.next) return reject('nonceTooHigh', nonce, account.next)
  return checkFunds(tx, account) ?? checkBlobShare(tx, account) ?? checkDelegation(tx, account, contents)
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

/** The blob transactions that an account may have in the pool, as in geth's blob pool. */
const maxBlobTransactions = 16

const checkBlobShare = ({ transaction }: PoolTransaction, account: PoolAccount): Rejection | undefined => {
  if (transaction.type !== 3 || account.pendingAt(transaction.nonce) !== undefined) return undefined
  const pooled = account.pending.filter((other) => other.transaction.type === 3).length
  return pooled >= maxBlobTransactions ? reject('accountLimit', pooled) : undefined
}

/**
 * An account with a delegation may be emptied by transactions of other accounts, so that it may have only one
 * transaction in the pool; the same holds for an account with a pending authorization.
 */
const checkDelegation = (
  { transaction }: PoolTransaction,
  account: PoolAccount,
  contents: PoolContents,
): Rejection | undefined => {
  if (account.codeKind !== 'delegation' && !contents.isAuthority(account)) return undefined
  if (account.pending.length === 0)
    return transaction.nonce === account.next ? undefined : reject('gappedFromDelegated')
  return account.pendingAt(transaction.nonce) ? undefined : reject('delegatedInFlight')
}

/**
 * Checks that the authorities of a new set-code transaction have at most one transaction in the pool each. What comes back
 * was checked when it came: its authorities, which are free while it is parked, could keep it out forever.
 */
export const checkAuthorities = (
  { authorities }: PoolTransaction,
  contents: PoolContents,
): Rejection | undefined => {
  for (const id of authorities) {
    const authority = contents.accountById(id)
    if (authority && authority.pending.length + authority.queued.length > 1)
      return reject('authorityReserved')
  }
  return undefined
}
