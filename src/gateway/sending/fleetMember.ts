import { toHex } from '../../base/encoding/hex.ts'
import { isUnavailable } from '../../chain/chainError.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { PoolTransaction as Signed } from '../../chain/port/pool.ts'
import { encodePooledTransaction } from '../../chain/transaction/pooled.ts'
import { isPassing, type Rejection, type RejectionKind } from '../../pool/admission/rejections.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { AddResult, DropReason, PoolTransaction } from '../../pool/types.ts'
import type { SendState, SentTransaction } from '../fleet/sendRows.ts'
import type { FleetPool, SharedSends, Taken } from '../fleet/sharedSends.ts'
import type { Outbox } from './outbox.ts'
import { decodeSigned, type UncheckedTransactions } from './uncheckedTransactions.ts'

interface FleetMemberDependencies {
  readonly pool: TransactionPool
  readonly outbox: Outbox
  readonly unchecked: UncheckedTransactions
  /** Submits to the pool, with what other nodes say of the account. */
  readonly submit: (raw: Uint8Array, isLocal: boolean) => Promise<AddResult>
  /** Submits to the pool what others sent. */
  readonly admit: (raw: Uint8Array) => Promise<AddResult>
  /** Puts back what left for another one. */
  readonly restore: (tx: PoolTransaction) => Promise<unknown>
  /** Offers a transaction to the nodes, whatever is before it; returns whether one has it. */
  readonly offer: (tx: PoolTransaction) => Promise<boolean>
  readonly isIncluded: (hash: Uint8Array) => boolean
  readonly fork: () => Fork
}

/** What was replaced and may have to come back: few wait for the database at a time. */
const maxReplaced = 1_000

const toState = (reason: DropReason): Exclude<SendState, 'waits'> =>
  reason === 'included' || reason === 'stale' ? 'included' : 'gone'

/** The pool has no room, or cannot keep anything. */
const fullKinds: readonly RejectionKind[] = ['busy', 'notJournaled', 'poolFull']

const toTaken = (rejection: Rejection | undefined): Taken => {
  if (rejection === undefined || !isPassing(rejection)) return 'settled'
  return fullKinds.includes(rejection.kind) ? 'allLater' : 'later'
}

const toSent = ({
  hash,
  sender,
  transaction,
  raw,
  sidecar,
}: Signed & Pick<PoolTransaction, 'sidecar'>): SentTransaction => ({
  hash,
  sender,
  nonce: transaction.nonce,
  raw: sidecar === undefined ? raw : encodePooledTransaction({ transaction, sidecar }),
})

/** The pool of a gateway as a part of a fleet. */
export class FleetMember implements FleetPool {
  readonly #shared: SharedSends
  readonly #dependencies: FleetMemberDependencies
  /** What was replaced last, by the id of what took its place. */
  readonly #replaced = new Map<string, PoolTransaction>()
  /** What clients wait for to be kept. */
  readonly #keeping = new Map<string, Promise<boolean>>()

  constructor(shared: SharedSends, dependencies: FleetMemberDependencies) {
    this.#shared = shared
    this.#dependencies = dependencies
    dependencies.pool.events.on('dropped', ({ transaction, reason }) => {
      this.#replaced.delete(transaction.id)
      if (!transaction.isLocal) return
      if (reason === 'replaced') this.#remember(transaction)
      shared.ended(transaction.hash, toState(reason))
    })
    shared.bind(this)
  }

  /**
   * Has the fleet keep a transaction before its client gets a response, once its outcome is known. Returns false if it is not kept, and
   * so not here either.
   */
  keep(tx: PoolTransaction, outcome: () => Promise<void>): Promise<boolean> {
    return this.#once(
      tx.hash,
      async () => {
        await outcome()
        return this.#write(tx)
      },
      () => this.#takeBack(tx),
    )
  }

  /** As `keep`, for a transaction whose account no node could be asked. */
  async keepUnchecked(tx: Signed | undefined): Promise<boolean> {
    if (tx === undefined) return true
    const { pool, unchecked } = this.#dependencies
    return this.#once(
      tx.hash,
      async () => {
        if (await this.#shared.record(toSent({ ...tx, sidecar: undefined }), false)) return true
        // The chain is back meanwhile.
        const pooled = pool.get(tx.hash)
        return pooled?.isLocal === true && this.#write(pooled)
      },
      async () => {
        unchecked.release(tx.hash)
        const pooled = pool.get(tx.hash)
        if (pooled?.isLocal) return this.#takeBack(pooled)
        this.#shared.ended(tx.hash, 'gone')
      },
    )
  }

  /** Resolves as `keep` of a transaction whose client is not told yet; with true if there is none. */
  async settled(hash: Uint8Array): Promise<boolean> {
    return this.#keeping.get(toHex(hash)) ?? true
  }

  /** Who sends a transaction again while nobody is notified of it yet gets the same response: no caller hears something else. */
  #once(hash: Uint8Array, work: () => Promise<boolean>, undo: () => Promise<void>): Promise<boolean> {
    const id = toHex(hash)
    const known = this.#keeping.get(id)
    if (known !== undefined) return known
    const keep = async (): Promise<boolean> => {
      let undoing: Promise<void> | undefined
      try {
        if (await work()) return true
        undoing = undo()
      } finally {
        // In the same turn as the first step of what is undone: who comes after it starts over.
        this.#keeping.delete(id)
      }
      await undoing
      return false
    }
    const keeping = keep()
    this.#keeping.set(id, keeping)
    return keeping
  }

  async #write(tx: PoolTransaction): Promise<boolean> {
    const { outbox, offer } = this.#dependencies
    if (await this.#shared.record(toSent(tx), outbox.isAccepted(tx))) return true
    // A node may have taken it meanwhile, or have what is before it from a gateway that this one cannot hear of now.
    return (outbox.isAccepted(tx) || (await offer(tx))) && this.#shared.record(toSent(tx), true)
  }

  async #takeBack(tx: PoolTransaction): Promise<void> {
    const { pool, restore } = this.#dependencies
    // What another one replaced before, a cancellation perhaps, stays where it is.
    const replaced = this.#replaced.get(tx.id)
    pool.remove(tx.hash)
    if (replaced !== undefined) await restore(replaced)
  }

  catchUp(): Promise<void> {
    return this.#shared.catchUp()
  }

  /** Returns a transaction of the fleet that is not in this pool. */
  get(hash: Uint8Array): Signed | undefined {
    const raw = this.#shared.rawOf(hash)
    return raw && decodeSigned(raw, this.#dependencies.fork())
  }

  async admit(raw: Uint8Array): Promise<Taken> {
    try {
      const { rejection } = await this.#dependencies.admit(raw)
      return toTaken(rejection)
    } catch (error) {
      if (isUnavailable(error)) return 'allLater'
      throw error
    }
  }

  async takeOver(raw: Uint8Array): Promise<Taken> {
    const { pool, outbox, submit, unchecked, isIncluded, fork } = this.#dependencies
    const tx = decodeSigned(raw, fork())
    if (tx === undefined) return 'settled'
    try {
      const { rejection } = await submit(raw, true)
      const pooled = pool.get(tx.hash)
      if (pooled?.isLocal) {
        outbox.sendAgain(pooled)
        return 'settled'
      }
      const taken = toTaken(rejection)
      // It is here as one of others, and cannot be one that is kept now: nobody would send it.
      if (pooled !== undefined) return taken === 'settled' ? 'later' : taken
      if (taken === 'settled') {
        const isUsed = rejection?.kind === 'nonceTooLow' || isIncluded(tx.hash)
        this.#shared.ended(tx.hash, isUsed ? 'included' : 'gone')
      }
      return taken
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return unchecked.keep(raw) === undefined ? 'allLater' : 'settled'
    }
  }

  remove(hash: Uint8Array): void {
    const { pool } = this.#dependencies
    if (pool.get(hash)?.isLocal === false) pool.remove(hash)
  }

  isIncluded(hash: Uint8Array): boolean {
    return this.#dependencies.isIncluded(hash)
  }

  has(hash: Uint8Array): boolean {
    return this.#dependencies.pool.get(hash) !== undefined
  }

  keeps(hash: Uint8Array): boolean {
    const { pool, unchecked } = this.#dependencies
    return pool.get(hash) !== undefined || unchecked.get(hash) !== undefined
  }

  kept(): readonly SentTransaction[] {
    const { pool, unchecked } = this.#dependencies
    const local = [...pool.transactions()].filter(({ isLocal }) => isLocal).map(toSent)
    return [...local, ...unchecked.values().map((tx) => toSent({ ...tx, sidecar: undefined }))]
  }

  /** Takes note of what was put back into the pool: it waits again, if it is still there. */
  isBack(tx: PoolTransaction): void {
    const { pool, unchecked } = this.#dependencies
    if (tx.isLocal && (pool.get(tx.hash)?.isLocal || unchecked.get(tx.hash))) this.#shared.isBack(toSent(tx))
  }

  #remember(tx: PoolTransaction): void {
    const { pool } = this.#dependencies
    const successor = [...pool.pendingOf(tx.sender), ...pool.queuedOf(tx.sender)].find(
      ({ transaction: { nonce } }) => nonce === tx.transaction.nonce,
    )
    if (successor === undefined) return
    this.#replaced.set(successor.id, tx)
    const [oldest] = this.#replaced.keys()
    if (this.#replaced.size > maxReplaced && oldest !== undefined) this.#replaced.delete(oldest)
  }
}
