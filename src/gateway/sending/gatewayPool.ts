import { join } from 'node:path'
import { withAnySignal } from '../../base/abort.ts'
import { Slots } from '../../base/async/slots.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { isUnavailable, refused, unavailable } from '../../chain/chainError.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import type { Pool, PoolTransaction, RefusedTransaction } from '../../chain/port/pool.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import { isTimeUp } from '../../comet/client/deadline.ts'
import { NativeQueryError } from '../../comet/data/nativeQuery.ts'
import { isAboutQuestion } from '../../comet/data/refusals.ts'
import { dialectOf, familyOf } from '../../families/families.ts'
import { isTimeout } from '../../families/queries/chainErrors.ts'
import { reportRestored } from '../../pool/admission/restoreReport.ts'
import { TransactionSubmitter } from '../../pool/admission/transactionSubmitter.ts'
import { InclusionWaiters } from '../../pool/inclusionWaiters.ts'
import { Journal } from '../../pool/journal.ts'
import { TransactionPool } from '../../pool/pool.ts'
import { SenderRecovery } from '../../pool/recovery/senderRecovery.ts'
import type { AddResult, PoolTransaction as Pooled, PoolHead } from '../../pool/types.ts'
import { PoolView } from '../../served/poolView.ts'
import type { SharedSends } from '../fleet/sharedSends.ts'
import { type BroadcastOutcome, classifyError, classifyResponse } from './broadcastOutcome.ts'
import { encodeForMempool } from './encodeForMempool.ts'
import { ExternalTransactions } from './externalTransactions.ts'
import { FleetMember } from './fleetMember.ts'
import {
  defaultSendTimeouts,
  type GatewayPoolDependencies,
  type GatewayPoolOptions,
  type SendTimeouts,
} from './gatewayPoolOptions.ts'
import { GivenUpFile } from './givenUpFile.ts'
import { Outbox, unansweredText } from './outbox.ts'
import { isOfAccount, SecondOpinions } from './secondOpinions.ts'
import { SenderAccounts } from './senderAccounts.ts'
import { SendTrail } from './sendTrail.ts'
import { SettledAccounts } from './settledAccounts.ts'
import { decodeSigned, UncheckedTransactions } from './uncheckedTransactions.ts'
import { UnrestoredTransactions } from './unrestoredTransactions.ts'

const maxConcurrent = 16

/** The part of the time of a broadcast that the upstreams have: where it ends there, it counts against who did not answer. */
const upstreamShare = 0.9

const awayText =
  'the chain behind this gateway does not answer: the transaction is not kept (gateway.sends-while-away)'
const unsharedText = 'the database of the fleet is away: a transaction that must wait here cannot be kept'
const noRoomText =
  'the chain behind this gateway does not answer, and too many transactions wait for it: this one is not kept'

/** The age at which the list of unconfirmed transactions is fetched again. */
const unconfirmedMs = 1_000

interface Parts {
  readonly options: GatewayPoolOptions
  readonly dependencies: GatewayPoolDependencies
  readonly times: SendTimeouts
  readonly journal: Journal
}

/**
 * The pool of a chain whose blocks other nodes produce. Transactions are checked as an embedded node would, kept, and
 * sent to the chain in order. The gateway tracks pending transactions itself, because a chain with an app mempool does
 * not show them.
 */
export class GatewayPool implements Pool {
  readonly #parts: Parts
  readonly #pool: TransactionPool
  readonly #view: PoolView
  readonly #submitter: TransactionSubmitter
  readonly #accounts: SenderAccounts
  readonly #settled: SettledAccounts
  readonly #opinions: SecondOpinions
  readonly #restoring = new Slots(maxConcurrent)
  readonly #outbox: Outbox
  readonly #external: ExternalTransactions
  readonly #unchecked: UncheckedTransactions
  readonly #member: FleetMember | undefined
  readonly #inclusions = new InclusionWaiters()
  readonly #closing = new AbortController()
  readonly #pendingListeners = new Set<(tx: PoolTransaction) => void>()
  readonly #expiry: NodeJS.Timeout
  #newest: PoolHead
  #isUpstreamDown = false
  #headUpdate: Promise<void> | undefined
  /** Resolves when the transactions of the journal are back in the pool. */
  readonly restored: Promise<void>

  constructor(options: GatewayPoolOptions, dependencies: GatewayPoolDependencies) {
    const times = { ...defaultSendTimeouts, ...options.times }
    const journal = new Journal(options.journalFolder)
    this.#parts = { options, dependencies, times, journal }
    this.#newest = dependencies.head
    const { chainInfo, settings } = options
    const { upstream, head, locate, locateBySender, shared, log } = dependencies
    const isShared = (id: string): boolean => shared?.isShared(id) ?? false
    const closing = this.#closing.signal
    const now = () => performance.now()
    this.#accounts = new SenderAccounts(
      { evmPackage: chainInfo.evmPackage, timeoutMs: times.accountMs, maxKnown: 20_000, maxConcurrent },
      {
        queries: { query: (...query) => this.#trackAvailability(upstream.query(...query)) },
        nodesAlone: upstream.nodesAlone?.bind(upstream),
        height: () => Number(this.#newest.number),
        isFollowed: (sender) => this.#pool.stateOf(sender) !== undefined,
        closing,
      },
    )
    const pool = () => this.#pool
    this.#settled = new SettledAccounts(times, { accounts: this.#accounts, pool, locateBySender, now })
    const blobs = { accepted: false, rejection: 'blob transactions are not accepted by this chain' } as const
    // What the chain's accounts cannot pay for long is given up, and its reason kept for those who ask.
    this.#pool = new TransactionPool(
      { ...settings, keepsUnpayable: false },
      {
        state: this.#settled,
        head,
        blobs,
        now,
        onListenerError: (error) => log.error({ err: error }, 'a listener of the pool failed'),
      },
    )
    this.#opinions = new SecondOpinions({
      accounts: this.#accounts,
      pooled: (sender) => {
        const account = this.#pool.stateOf(sender)
        // A copy, because the pool's account changes.
        return account && { nonce: account.nonce, balance: account.balance, codeKind: account.codeKind }
      },
      onReplaced: (sender, account) => {
        if (this.#pool.stateOf(sender) === undefined || !this.#settled.replace(sender, account)) return
        this.#pool.onHead(this.#pool.head, { included: [], changed: [sender] })
      },
      quarantine: (node, reason) => upstream.quarantine?.(node, reason, false),
    })
    const inclusions = this.#inclusions
    this.#pool.events.on('dropped', ({ transaction }) => inclusions.settle(transaction.hash))
    this.#view = new PoolView({ pool: this.#pool, inclusions, locate })
    this.#submitter = new TransactionSubmitter({
      pool: this.#pool,
      recovery: new SenderRecovery(),
      journal,
      loadSender: (sender, isRestored) => this.#prepare(sender, isRestored),
      onJournalError: (error) => log.error({ err: error }, 'the journal cannot be written'),
    })
    // What the journal holds was acknowledged, or nearly: its submitters are not there any more.
    const acknowledged = new Set(journal.loaded.map((raw) => toHex(keccak256(raw))))
    this.#outbox = new Outbox(
      {
        times,
        queuesNonceGaps: familyOf(chainInfo).capabilities.nonceGapQueue,
        maxConcurrent,
        refusesUnanswered: options.whileAway === 'refuse',
      },
      {
        pool: this.#pool,
        send: (tx, trail) => this.#send(tx, trail),
        readNewest: (sender) => this.#accounts.readNewest(sender),
        canSendElsewhere: (refusedBy) => upstream.canSendElsewhere?.(refusedBy) ?? false,
        onContradicted: (nodes) => upstream.onContradicted?.(nodes),
        restore: (tx) => this.#putBack(tx),
        onAcknowledged: (tx) => {
          for (const listener of this.#pendingListeners) listener(tx)
        },
        wasAcknowledged: (id) => acknowledged.delete(id),
        now,
        log,
        isShared,
        givenUpFile: new GivenUpFile(join(options.journalFolder, 'given-up.json'), log),
        isRestored: () => this.#isRestored,
      },
    )
    // What was kept before the setting was changed is sent all the same.
    this.#unchecked = new UncheckedTransactions(times, {
      submit: (raw) => this.#submitKept(raw),
      unrestored: new UnrestoredTransactions(this.#submitter.unrestored, (raw) =>
        decodeSigned(raw, this.#newest.fork),
      ),
      head: () => this.#newest,
      onRefused: (hash) => shared?.ended(hash, 'gone'),
      log,
      journal: new Journal(join(options.journalFolder, 'unchecked')),
    })
    this.#external = new ExternalTransactions({
      pool: this.#pool,
      unconfirmed: (limit, signal) => upstream.unconfirmedTxs(limit, signal),
      admit: (raw) => this.#submitter.submit(raw, false),
      onLocalSeen: (id) => this.#outbox.markSeen(id),
      isShared,
      now,
    })
    this.#member = shared && this.#join(shared)
    this.#expiry = setInterval(() => this.#pool.expire(), times.expiryMs).unref()
    this.restored = this.#restore()
  }

  #isRestored = false

  /** A number that changes whenever the content changes. */
  get version(): number {
    return this.#pool.version
  }

  /** The transaction pool, for metrics of why transactions leave it. */
  get pool(): TransactionPool {
    return this.#pool
  }

  async submit(raw: Uint8Array): Promise<Uint8Array> {
    const { whileAway, assertWritable } = this.#parts.options
    assertWritable?.()
    if (whileAway === 'refuse' && this.#parts.dependencies.upstream.isAway?.()) throw unavailable(awayText)
    const { transaction, rejection } = await this.#submit(raw, true).catch((error: unknown) => {
      if (whileAway === 'refuse' || !isUnavailable(error)) throw error
      return { transaction: undefined, rejection: undefined }
    })
    if (rejection !== undefined) {
      // Who sent it first may not be told yet, and it leaves again if it is not kept.
      if (rejection.kind === 'alreadyKnown' && (await this.#member?.settled(keccak256(raw))) === false)
        throw unavailable(unsharedText)
      throw refused(rejection.message)
    }
    if (transaction === undefined) return this.#keepUnchecked(raw)
    const outcome = (): Promise<void> => this.#takenOrHeld(transaction)
    if (this.#member === undefined) await outcome()
    else if (!(await this.#member.keep(transaction, outcome))) throw unavailable(unsharedText)
    return transaction.hash
  }

  /** Submits a transaction that was acknowledged while no node could be asked for its account. */
  async #submitKept(raw: Uint8Array): Promise<AddResult> {
    const result = await this.#submit(raw, true)
    const pooled = result.transaction ?? this.#pool.get(keccak256(raw))
    if (pooled !== undefined) this.#outbox.acknowledge(pooled)
    return result
  }

  /** Keeps a transaction whose account no node can be asked. What was acknowledged before stays, whatever is away now. */
  async #keepUnchecked(raw: Uint8Array): Promise<Uint8Array> {
    const known = this.#unchecked.get(keccak256(raw))
    const kept = known?.hash ?? this.#unchecked.keep(raw)
    if (kept === undefined) throw unavailable(noRoomText)
    const isKept =
      known === undefined
        ? await this.#member?.keepUnchecked(this.#unchecked.get(kept))
        : await this.#member?.settled(kept)
    if (isKept === false) throw unavailable(unsharedText)
    return kept
  }

  /** Resolves when a node has a transaction, or it must wait here. Rejects with the reason if it is rejected. */
  async #takenOrHeld(transaction: Pooled): Promise<void> {
    // Another gateway may have what is before it.
    if (!this.#pool.isPending(transaction)) await this.#member?.catchUp()
    const reason = await this.#outbox.outcomeOf(transaction)
    if (reason === unansweredText) throw unavailable(reason)
    if (reason !== undefined) throw refused(reason)
  }

  #join(shared: SharedSends): FleetMember {
    const { locate } = this.#parts.dependencies
    return new FleetMember(shared, {
      pool: this.#pool,
      outbox: this.#outbox,
      unchecked: this.#unchecked,
      submit: (raw, isLocal) => this.#submit(raw, isLocal),
      admit: (raw) => this.#submitter.submit(raw, false),
      restore: (tx) => this.#putBack(tx),
      offer: async (tx) => (await this.#send(tx, new SendTrail())).kind === 'taken',
      isIncluded: (hash) => locate(hash) !== undefined,
      fork: () => this.#newest.fork,
    })
  }

  /** Reads what other gateways of a fleet have taken until now. */
  async catchUp(): Promise<void> {
    await this.#member?.catchUp()
  }

  /** Submits to the pool. Who would be rejected for what one node says of the account has others asked. */
  async #submit(raw: Uint8Array, isLocal: boolean): Promise<AddResult> {
    const result = await this.#submitter.submit(raw, isLocal)
    const refused = isOfAccount(result) ? decodeSigned(raw, this.#newest.fork) : undefined
    if (refused === undefined) return result
    const { sender, transaction } = refused
    // What a stored block proves needs no second opinion.
    if (this.#parts.dependencies.locateBySender(sender, transaction.nonce) !== undefined) return result
    return this.#opinions.resubmit(sender, result, () => this.#submitter.submit(raw, isLocal))
  }

  /** Blocks come when the chain makes them: nobody waits for one. */
  async waitForSeal(): Promise<void> {}

  get(hash: Uint8Array): PoolTransaction | undefined {
    return this.#view.get(hash) ?? this.#unchecked.get(hash) ?? this.#member?.get(hash)
  }

  /** Returns the next nonce, counting also what waits in the upstream's mempool if that is visible. */
  async nextNonce(sender: Uint8Array): Promise<bigint> {
    await this.#member?.catchUp()
    // An app mempool is not visible, unless its operator enabled that.
    if (!this.#parts.options.chainInfo.hasAppMempool || this.#external.isMempoolVisible)
      await this.#external.refresh(unconfirmedMs, this.#closing.signal)
    try {
      await this.#accounts.load(sender)
    } catch (error) {
      // Transactions that wait here were checked against a known account.
      if (this.#pool.pendingOf(sender).length === 0) throw error
    }
    return this.#pool.nextNonce(sender)
  }

  content(): ReturnType<Pool['content']> {
    return this.#unchecked.addTo(this.#view.content())
  }

  contentOf(sender: Uint8Array): ReturnType<Pool['contentOf']> {
    const content = this.#view.contentOf(sender)
    return { pending: content.pending, queued: this.#unchecked.addToQueued(sender, content) }
  }

  counts(): ReturnType<Pool['counts']> {
    const { pending, queued } = this.#view.counts()
    return { pending, queued: queued + this.#unchecked.size }
  }

  refusals(): readonly RefusedTransaction[] {
    return [...this.#unchecked.refusals(), ...this.#outbox.refusals()]
  }

  waitFor(hash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    return this.#view.waitFor(hash, signal)
  }

  /** Calls the listener once for each transaction that waits for a block, until the returned function is called. */
  onPending(listener: (tx: PoolTransaction) => void): () => void {
    this.#pendingListeners.add(listener)
    return () => this.#pendingListeners.delete(listener)
  }

  /**
   * Updates the pool for a new head. Its block is stored, so that its transactions can be located. Heads that come too
   * fast are skipped.
   */
  onHead(head: PoolHead): void {
    this.#newest = head
    this.#headUpdate ??= this.#applyHead().finally(() => {
      this.#headUpdate = undefined
    })
  }

  /** Tracks whether upstreams answer, because one that was unavailable may have lost its mempool. */
  async #trackAvailability<T>(answer: Promise<T>): Promise<T> {
    try {
      const value = await answer
      this.#onUpstreamBack()
      return value
    } catch (error) {
      if (isAway(error)) this.#isUpstreamDown = true
      throw error
    }
  }

  #onUpstreamBack(): void {
    if (!this.#isUpstreamDown) return
    this.#isUpstreamDown = false
    this.#outbox.rebroadcastAll()
  }

  /** Ends the waits for blocks, now and later: the process is about to end. */
  closeWaits(): void {
    this.#inclusions.close()
  }

  async close(): Promise<void> {
    this.closeWaits()
    this.#closing.abort(new Error('the gateway is closing'))
    clearInterval(this.#expiry)
    this.#unchecked.close()
    this.#outbox.close()
    await this.restored
    await this.#headUpdate
    await this.#submitter.close()
  }

  async #applyHead(): Promise<void> {
    const { locate, log } = this.#parts.dependencies
    const closing = this.#closing.signal
    while (this.#pool.head !== this.#newest && !closing.aborted) {
      const head = this.#newest
      const senders = this.#senders()
      await this.#accounts.loadAll(senders)
      await this.#opinions.settle(this.#settled.doubted(senders))
      if (closing.aborted) return
      this.#settled.settle(senders, Number(head.number))
      const used = senders.flatMap((sender) =>
        [...this.#pool.pendingOf(sender), ...this.#pool.queuedOf(sender)].filter(
          ({ transaction }) => transaction.nonce < this.#settled.nonce(sender),
        ),
      )
      const included = used.filter(({ hash }) => locate(hash) !== undefined).map(({ hash }) => hash)
      this.#pool.onHead(head, { included, changed: senders })
      log.debug({ number: Number(head.number), included: included.length }, 'the pool follows the head')
      this.#outbox.onHead()
      await this.#external.refresh(0, closing)
    }
  }

  #senders(): readonly Uint8Array[] {
    const { pending, queued } = this.#pool.content()
    const senders = new Map<string, Uint8Array>()
    for (const [id, [first]] of [...pending, ...queued])
      if (first !== undefined) senders.set(id, first.sender)
    return [...senders.values()]
  }

  async #prepare(sender: Uint8Array, isRestored: boolean): Promise<void> {
    const { times } = this.#parts
    for (;;) {
      try {
        await this.#accounts.load(sender)
        // Nodes that are asked for all senders at once would be too late to be counted.
        if (isRestored) await this.#restoring.run(() => this.#opinions.settle([sender]))
        return
      } catch (error) {
        if (!isRestored || this.#closing.signal.aborted) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, times.retryMs))
    }
  }

  async #restore(): Promise<void> {
    const { log } = this.#parts.dependencies
    try {
      reportRestored(log, await this.#submitter.restore())
    } catch (error) {
      // The file is unchanged: the next start reads it again.
      if (!this.#closing.signal.aborted) log.error({ err: error }, 'the journal could not be read back')
    }
    this.#isRestored = true
  }

  /**
   * Puts a transaction back whose replacement was rejected. Returns why that is not possible; undefined if it is in the
   * pool, in a block, or kept until the chain answers.
   */
  async #putBack(tx: Pooled): Promise<string | undefined> {
    const { raw, hash, isLocal } = tx
    try {
      const { rejection } = await this.#submit(raw, isLocal).catch((error: unknown) => {
        if (isLocal && isUnavailable(error) && this.#unchecked.keep(raw) !== undefined)
          return { rejection: undefined }
        throw error
      })
      const isThere =
        rejection?.kind === 'alreadyKnown' || this.#parts.dependencies.locate(hash) !== undefined
      if (isThere || rejection === undefined) this.#member?.isBack(tx)
      return isThere ? undefined : rejection?.message
    } catch (error) {
      return (error as Error).message
    }
  }

  async #send(tx: Pooled, trail: SendTrail): Promise<BroadcastOutcome> {
    const { times, options } = this.#parts
    let bytes: Uint8Array
    try {
      // The encoder also decodes the bytes, because a node may never answer for bytes that it cannot read.
      bytes = encodeForMempool(tx.raw, tx.sender, dialectOf(options.chainInfo))
    } catch (error) {
      if (error instanceof TransactionError) return { kind: 'refused', code: 0, text: error.message }
      throw error
    }
    const broadcast = (signal: AbortSignal) => this.#broadcast(bytes, trail, signal)
    return withAnySignal([this.#closing.signal], broadcast, { timeoutMs: times.broadcastMs })
  }

  async #broadcast(bytes: Uint8Array, trail: SendTrail, signal: AbortSignal): Promise<BroadcastOutcome> {
    const { times, dependencies } = this.#parts
    const { asked, refusedBy } = trail
    try {
      const sending = dependencies.upstream.broadcast(bytes, signal, {
        asked,
        refusedBy,
        onAsk: (node) => trail.onAsk(node),
        onUnknown: () => trail.onUnknown(),
        timeoutMs: Math.round(upstreamShare * times.broadcastMs),
      })
      return classifyResponse(await Promise.race([sending, rejectOnAbort(signal)]))
    } catch (error) {
      if (isTimeUp(signal) || isTimeout(error))
        return {
          kind: 'unanswered',
          text: `no response from the chain's node within ${times.broadcastMs} ms`,
        }
      const result = classifyError(error)
      if (result.kind === 'unanswered' && !result.wasAnswered) this.#isUpstreamDown = true
      else this.#onUpstreamBack()
      return result
    }
  }
}

/** Returns whether an error says that no node answers, and not that they fail at one request. */
const isAway = (error: unknown): boolean =>
  error instanceof NativeQueryError && error.kind === 'unavailable' && !isAboutQuestion(error.message)

const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
