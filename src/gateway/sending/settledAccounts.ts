import { toHex } from '../../base/encoding/hex.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolState, PoolTransaction } from '../../pool/types.ts'
import type { SenderAccount, SenderAccounts } from './senderAccounts.ts'

interface SettledOptions {
  /** How long nodes must stay at an account before acknowledged transactions are dropped for it. */
  readonly refusalMs: number
  /** The time between two reads counts up to this: in a longer silence nobody knows what the chain would have said. */
  readonly seenCacheMs: number
}

interface SettledDependencies {
  readonly accounts: Pick<SenderAccounts, 'get' | 'heightOf'>
  readonly pool: () => Pick<TransactionPool, 'stateOf' | 'pendingOf' | 'queuedOf'>
  /** Finds the transaction of a sender with a nonce in the blocks that are stored. */
  readonly locateBySender: (sender: Uint8Array, nonce: bigint) => TransactionLocation | undefined
  readonly now: () => number
}

/** An account that would cost transactions which were acknowledged. */
interface Doubt {
  /** What the pool is shown instead. */
  readonly shown: SenderAccount
  readonly at: number
  /** For how long reads have said the same. */
  readonly lastedMs: number
}

/** Returns whether transactions that were submitted here would be dropped for this balance of their sender, or what is before them. */
const isUnpayable = (
  pending: readonly PoolTransaction[],
  queued: readonly PoolTransaction[],
  balance: bigint,
): boolean => {
  const all = [...pending, ...queued]
  const cost = pending.reduce((sum, tx) => sum + tx.cost, 0n)
  return all.some(({ isLocal }) => isLocal) && (cost > balance || all.some((tx) => tx.cost > balance))
}

/** The largest number of used nonces that are looked for at a time. */
const maxSteps = 1_000

/**
 * The accounts of senders as the pool follows them. What a node says of an account may be a lie, or of an older state: where
 * transactions that were submitted here would be dropped for it, the pool is shown the account as it was, until reads have
 * said the same for long enough. A nonce that a stored block has used is used, whatever nodes say.
 */
export class SettledAccounts implements PoolState {
  readonly #options: SettledOptions
  readonly #dependencies: SettledDependencies
  #doubts: ReadonlyMap<string, Doubt> = new Map()
  /** What the pool is shown instead of what was read last. */
  #shown: ReadonlyMap<string, SenderAccount> = new Map()

  constructor(options: SettledOptions, dependencies: SettledDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  nonce(address: Uint8Array): bigint {
    return this.#at(address).nonce
  }

  balance(address: Uint8Array): bigint {
    return this.#at(address).balance
  }

  codeKind(address: Uint8Array): SenderAccount['codeKind'] {
    return this.#at(address).codeKind
  }

  #at(address: Uint8Array): SenderAccount {
    // A sender without transactions has nothing to lose.
    const hasAny = this.#dependencies.pool().stateOf(address) !== undefined
    return (hasAny ? this.#shown.get(toHex(address)) : undefined) ?? this.#dependencies.accounts.get(address)
  }

  /**
   * Shows the pool another account of a sender that it has transactions of, until the next head. Returns false if that would
   * cost some that came meanwhile.
   */
  replace(sender: Uint8Array, account: SenderAccount): boolean {
    const pool = this.#dependencies.pool()
    if (isUnpayable(pool.pendingOf(sender), pool.queuedOf(sender), account.balance)) return false
    this.#shown = new Map([...this.#shown, [toHex(sender), account]])
    return true
  }

  /** Returns the senders whose transactions would be dropped for what was read of their accounts. */
  doubted(senders: readonly Uint8Array[]): readonly Uint8Array[] {
    return senders.filter((sender) => {
      const before = this.#dependencies.pool().stateOf(sender)
      return before !== undefined && this.#compare(sender, before).careful !== undefined
    })
  }

  /** Decides what the pool is shown of its senders at a new head, when their accounts were read. */
  settle(senders: readonly Uint8Array[], height: number): void {
    const doubts = new Map<string, Doubt>()
    const shown = new Map<string, SenderAccount>()
    for (const sender of senders) {
      const before = this.#dependencies.pool().stateOf(sender)
      if (before === undefined) continue
      const id = toHex(sender)
      const { settled, careful } = this.#compare(sender, before)
      const doubt = careful === undefined ? undefined : this.#doubt(id, sender, careful, height)
      if (doubt !== undefined) doubts.set(id, doubt)
      shown.set(id, doubt?.shown ?? settled)
    }
    this.#doubts = doubts
    this.#shown = shown
  }

  /** Returns the doubt in an account; undefined if reads have said the same for so long that it counts. */
  #doubt(id: string, sender: Uint8Array, shown: SenderAccount, height: number): Doubt | undefined {
    const { now, accounts } = this.#dependencies
    const at = now()
    // The account could not be read: what comes counts again.
    if (accounts.heightOf(sender) !== height) return { shown, at, lastedMs: 0 }
    const before = this.#doubts.get(id)
    const lastedMs =
      before === undefined ? 0 : before.lastedMs + Math.min(at - before.at, this.#options.seenCacheMs)
    return before !== undefined && lastedMs >= this.#options.refusalMs ? undefined : { shown, at, lastedMs }
  }

  /**
   * Returns the account as it was read, with what blocks prove of its nonce, and the same without what would drop transactions
   * that were submitted here; undefined if nothing would.
   */
  #compare(
    sender: Uint8Array,
    before: SenderAccount,
  ): { readonly settled: SenderAccount; readonly careful: SenderAccount | undefined } {
    const { accounts, pool } = this.#dependencies
    const read = accounts.get(sender)
    const [pending, queued] = [pool().pendingOf(sender), pool().queuedOf(sender)]
    const all = [...pending, ...queued]
    const proven = this.#provenNonce(sender, before.nonce, read.nonce)
    const nonce = read.nonce > proven ? read.nonce : proven
    const settled: SenderAccount = { ...read, nonce }
    const isStale = ({ isLocal, transaction }: PoolTransaction): boolean =>
      isLocal && transaction.nonce >= proven && transaction.nonce < nonce
    const shownNonce = all.some(isStale) ? proven : nonce
    const isLeft = ({ transaction }: PoolTransaction): boolean => transaction.nonce >= shownNonce
    const hasLocal = all.some((tx) => tx.isLocal && isLeft(tx))
    const isPoorer =
      read.balance < before.balance &&
      isUnpayable(pending.filter(isLeft), queued.filter(isLeft), read.balance)
    const isCode = hasLocal && read.codeKind === 'contract' && before.codeKind !== 'contract'
    if (shownNonce === nonce && !isPoorer && !isCode) return { settled, careful: undefined }
    return {
      settled,
      careful: {
        nonce: shownNonce,
        balance: isPoorer ? before.balance : read.balance,
        codeKind: isCode ? before.codeKind : read.codeKind,
      },
    }
  }

  /**
   * Returns the nonce up to which stored blocks have used those of a sender. A node that tells a lower one than was known, of a
   * state from before a block that is stored, is behind.
   */
  #provenNonce(sender: Uint8Array, known: bigint, read: bigint): bigint {
    const isUsed = (nonce: bigint): boolean =>
      nonce >= 0n && this.#dependencies.locateBySender(sender, nonce) !== undefined
    if (read > known && isUsed(read - 1n)) return read
    let nonce = read < known && !isUsed(known - 1n) ? read : known
    for (let step = 0; step < maxSteps && isUsed(nonce); step++) nonce++
    return nonce
  }
}
