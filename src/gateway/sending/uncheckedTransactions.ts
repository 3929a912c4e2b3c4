import { join } from 'node:path'
import { keccak256 } from '../../base/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/log.ts'
import { ChainError } from '../../chain/chainError.ts'
import type { PoolTransaction, RefusedTransaction } from '../../chain/port/pool.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { decodeSubmission } from '../../pool/admission/submission.ts'
import { Journal } from '../../pool/journal.ts'
import type { AddResult, PoolHead } from '../../pool/types.ts'

interface UncheckedOptions {
  /** The folder of the pool's journal; what is held has a journal of its own in it. */
  readonly folder: string
  readonly retryMs: number
}

interface UncheckedDependencies {
  /** Submits a transaction to the pool; rejects with a `ChainError` of kind `unavailable` while no upstream answers. */
  readonly submit: (raw: Uint8Array) => Promise<AddResult>
  readonly head: () => PoolHead
  readonly log: Logger
}

const maxHeld = 10_000
const maxRefused = 256
const waitText = 'kept here until the chain answers: its account is not known yet'

const decode = (raw: Uint8Array, { fork }: PoolHead): PoolTransaction | undefined => {
  const { submission } = decodeSubmission(raw)
  const sender = submission && recoverSender(submission.transaction, fork)
  return submission && sender && { ...submission, sender }
}

const isUnavailable = (error: unknown): boolean => error instanceof ChainError && error.kind === 'unavailable'

/**
 * Transactions that came while no upstream answered, of accounts that nobody could ask for. They are kept across
 * restarts, and submitted in their order when the chain is back; what it refuses then can be read with the reason.
 */
export class UncheckedTransactions {
  readonly #options: UncheckedOptions
  readonly #dependencies: UncheckedDependencies
  readonly #journal: Journal
  readonly #held = new Map<string, PoolTransaction>()
  readonly #refused = new Map<string, RefusedTransaction>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: UncheckedOptions, dependencies: UncheckedDependencies) {
    this.#options = options
    this.#dependencies = dependencies
    this.#journal = new Journal(join(options.folder, 'unchecked'))
    for (const raw of this.#journal.loaded) this.#hold(raw)
    if (this.#held.size > 0) this.#tryLater()
  }

  /** Keeps a transaction. Returns its hash; undefined if there is no room. */
  keep(raw: Uint8Array): Uint8Array | undefined {
    const known = this.#held.get(toHex(keccak256(raw)))
    if (known !== undefined) return known.hash
    if (this.#held.size >= maxHeld) return undefined
    const held = this.#hold(raw)
    if (held === undefined) return undefined
    this.#journal.append([held.raw])
    this.#dependencies.log.info({ hash: toHex(held.hash) }, 'a transaction is kept until the chain answers')
    this.#tryLater()
    return held.hash
  }

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#held.size === 0 ? undefined : this.#held.get(toHex(hash))
  }

  /** Returns what waits, and what the chain refused at last. */
  refusals(): readonly RefusedTransaction[] {
    const waiting = [...this.#held.values()].map(({ hash, sender, transaction: { nonce } }) => ({
      hash,
      sender,
      nonce,
      reason: waitText,
      isGivenUp: false,
    }))
    return [...this.#refused.values(), ...waiting.slice(-maxRefused)]
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#journal.close()
  }

  #hold(raw: Uint8Array): PoolTransaction | undefined {
    const decoded = decode(raw, this.#dependencies.head())
    if (decoded !== undefined) this.#held.set(toHex(decoded.hash), decoded)
    return decoded
  }

  #tryLater(): void {
    this.#timer ??= setTimeout(async () => {
      await this.#submitAll()
      this.#timer = undefined
      if (this.#held.size > 0 && !this.#isClosed) this.#tryLater()
    }, this.#options.retryMs).unref()
  }

  /** Submits all in their order; ends at the first that nobody answers for. */
  async #submitAll(): Promise<void> {
    const { submit, log } = this.#dependencies
    for (const [id, held] of this.#held) {
      let reason: string | undefined
      try {
        reason = (await submit(held.raw)).rejection?.message
      } catch (error) {
        if (isUnavailable(error) || this.#isClosed) return
        reason = (error as Error).message
      }
      if (this.#isClosed) return
      this.#held.delete(id)
      this.#journal.forget([held.raw])
      if (reason !== undefined) {
        log.warn({ hash: id, why: reason }, 'a transaction that was kept is refused')
        this.#refuse(id, held, reason)
      }
    }
    this.#journal.rewrite([...this.#held.values()].map(({ raw }) => raw))
  }

  #refuse(id: string, { hash, sender, transaction: { nonce } }: PoolTransaction, reason: string): void {
    this.#refused.set(id, { hash, sender, nonce, reason, isGivenUp: true })
    const [oldest] = this.#refused.keys()
    if (this.#refused.size > maxRefused && oldest !== undefined) this.#refused.delete(oldest)
  }
}
