import { randomBytes } from 'node:crypto'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { refused, unavailable } from '../../chain/chainError.ts'
import {
  type DevControl,
  type DevSnapshot,
  type DevTransaction,
  type MiningMode,
  maxBlockTime,
} from '../../chain/port/dev.ts'
import type { ResetTarget } from '../../chain/port/fork.ts'
import type { BlockHeaderOverrides } from '../../chain/port/headerOverrides.ts'
import type { AccountEdit } from '../../chain/state/accountEdit.ts'
import { assertRevertible } from '../assertRevertible.ts'
import type { EngineContext, PreparedReset } from '../engine.ts'
import type { BlockClock } from './blockClock.ts'
import { readCandidate } from './candidates.ts'
import {
  type DevSettings,
  decodeSettings,
  encodeSettings,
  initialSettings,
  overridesOf,
} from './devSettings.ts'
import type { Sequencer, SequencerOptions } from './sequencer.ts'

export interface DevControlDependencies
  extends Pick<
    EngineContext,
    | 'saveDevSettings'
    | 'pool'
    | 'producer'
    | 'blocks'
    | 'state'
    | 'head'
    | 'rollbackTo'
    | 'prepareReset'
    | 'edit'
    | 'nextBlock'
    | 'onRulesChanged'
    | 'releaseWaiters'
    | 'poolHead'
  > {
  readonly sequencer: Sequencer
  readonly clock: BlockClock
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/** The empty blocks of one commit. */
const batchedBlocks = 128

/** The controls of the chain that this process makes. Each waits for its turn between two blocks. */
export class SoloDevControl implements DevControl {
  readonly #start: { readonly mining: SequencerOptions; readonly coinbase: Uint8Array }
  readonly #dependencies: DevControlDependencies
  #settings: DevSettings
  #headMadeAt: number
  isLoggingEnabled = true

  /** `mining` is how blocks are made unless dev methods change it. */
  constructor(mining: SequencerOptions, dependencies: DevControlDependencies) {
    this.#start = { mining, coinbase: dependencies.producer.coinbase }
    this.#dependencies = dependencies
    const stored = dependencies.blocks.meta.devSettings()
    this.#settings = stored === undefined ? initialSettings : decodeSettings(stored)
    dependencies.clock.settings = this.#settings.clock
    this.#headMadeAt = dependencies.now()
    if (stored === undefined) this.#followForkTime()
  }

  /** The time of a forked chain goes on from that of its head, which may be years ago. */
  #followForkTime(): void {
    const { blocks, clock, now } = this.#dependencies
    if (blocks.meta.fork() === undefined) return
    clock.setNow(this.#headTime, now())
    this.#settings = { ...this.#settings, clock: clock.settings }
  }

  /** To be called after each block. */
  onBlock(): void {
    const { clock, head, now } = this.#dependencies
    this.#headMadeAt = now()
    clock.onBlock(Number(head().header.timestamp), this.#headMadeAt)
  }

  mine(count: number, interval: number | undefined, signal: AbortSignal): Promise<void> {
    return this.#hold(async () => {
      const { producer } = this.#dependencies
      for (let made = 0; made < count && !signal.aborted; ) {
        const isEmpty = made > 0 && !producer.hasTransactions()
        if (isEmpty) {
          const some = Math.min(count - made, batchedBlocks)
          await this.#produceEmpty(some, interval ?? 0)
          made += some
        } else {
          if (interval !== undefined && interval > 0) this.#advance(interval)
          await this.#produce([])
          made++
        }
      }
    })
  }

  /** Makes empty blocks in one commit; what was set for one block alone is used up. */
  async #produceEmpty(count: number, interval: number): Promise<void> {
    const { producer, clock, now } = this.#dependencies
    let time = this.#headTime
    const times = Array.from({ length: count }, () => {
      const isSpaced = interval > 0 && !clock.isSet
      time = isSpaced
        ? Math.min(Math.max(clock.now(now()), time) + interval, maxBlockTime)
        : clock.nextTime(time, now())
      return time
    })
    await producer.produceEmptyBlocks(times)
    if (interval > 0 && !clock.isSet) clock.setNow(time, now())
    this.onBlock()
  }

  miningMode(): MiningMode {
    const { isManual, blockTimeMs } = this.#dependencies.sequencer.options
    if (isManual === true) return { kind: 'manual' }
    return blockTimeMs === undefined ? { kind: 'auto' } : { kind: 'interval', milliseconds: blockTimeMs }
  }

  setMiningMode(mode: MiningMode): Promise<void> {
    return this.#hold(async () => {
      const { sequencer, releaseWaiters } = this.#dependencies
      const blockTimeMs = mode.kind === 'interval' ? mode.milliseconds : undefined
      sequencer.setOptions({ blockTimeMs, createEmptyBlocks: true, isManual: mode.kind === 'manual' })
      if (mode.kind !== 'auto') releaseWaiters()
    })
  }

  increaseTime(seconds: number): Promise<number> {
    return this.#hold(async () => {
      const { clock, now } = this.#dependencies
      const offset = clock.increase(seconds, this.#headTime, now())
      await this.#saveClock()
      return offset
    })
  }

  setTime(time: number): Promise<number> {
    return this.#hold(async () => {
      const { clock, now } = this.#dependencies
      const before = clock.now(now())
      clock.setNow(time, now())
      await this.#saveClock()
      return Math.max(0, time - before)
    })
  }

  setNextBlockTime(time: number): Promise<void> {
    return this.#hold(async () => {
      if (time < this.#headTime)
        throw refused(`Timestamp error: ${time} is lower than previous block's timestamp (${this.#headTime})`)
      this.#dependencies.clock.setNext(time)
      this.#touch()
    })
  }

  setTimestampInterval(seconds: number | undefined): Promise<void> {
    return this.#hold(async () => {
      this.#dependencies.clock.interval = seconds
      await this.#saveClock()
    })
  }

  timestampInterval(): number | undefined {
    return this.#dependencies.clock.interval
  }

  headMadeAt(): number {
    return this.#headMadeAt
  }

  setNextBlock(values: BlockHeaderOverrides): Promise<void> {
    return this.#hold(async () => {
      this.#dependencies.nextBlock.set(values)
      this.#dependencies.onRulesChanged()
    })
  }

  nextBlock(): BlockHeaderOverrides {
    return this.#dependencies.nextBlock.overrides
  }

  edit(edits: readonly AccountEdit[]): Promise<void> {
    return this.#hold(async () => {
      for (const { address, nonce } of edits) if (nonce !== undefined) this.#checkNonce(address, nonce)
      await this.#dependencies.edit(edits)
    })
  }

  /** A nonce that a transaction of the chain has used cannot be used by another: the two would be told apart by nothing. */
  #checkNonce(address: Uint8Array, nonce: bigint): void {
    const { blocks } = this.#dependencies
    const used = blocks.firstNonceFrom(address, nonce)
    if (used !== undefined)
      throw refused(
        `the chain has a transaction of ${toHex(address)} with nonce ${used}: its nonce cannot be set back to ${nonce}`,
      )
  }

  snapshot(): Promise<number> {
    return this.#hold(async () => {
      const { head, state, nextBlock } = this.#dependencies
      const { header, hash } = head()
      const id = this.#settings.nextSnapshot
      const number = Number(header.number)
      const edit = state.newestEdit(number)
      const taken = { id, number, hash, edit, baseFee: nextBlock.overrides.baseFee }
      await this.#save({ snapshots: [...this.#settings.snapshots, taken], nextSnapshot: id + 1 })
      return id
    })
  }

  revert(id: number): Promise<boolean> {
    return this.#hold(async () => {
      const { blocks, rollbackTo, nextBlock, clock, now, onRulesChanged } = this.#dependencies
      const taken = this.#settings.snapshots.find((snapshot) => snapshot.id === id)
      const known = taken && blocks.blockHashAt(taken.number)
      if (taken === undefined || known === undefined || !equalBytes(known, taken.hash)) return false
      assertRevertible(this.#dependencies, taken.number)
      const time = Number(blocks.header(taken.number)?.timestamp ?? 0n)
      clock.setNow(time, now())
      const snapshots = this.#settings.snapshots.filter((snapshot) => snapshot.id < id)
      this.#settings = { ...this.#settings, snapshots, clock: clock.settings }
      nextBlock.replace(overridesOf(taken))
      await rollbackTo(taken.number, { edit: taken.edit, devSettings: encodeSettings(this.#settings) })
      this.#headMadeAt = now()
      onRulesChanged()
      return true
    })
  }

  snapshots(): readonly DevSnapshot[] {
    return this.#settings.snapshots
  }

  rollback(depth: number): Promise<void> {
    return this.#hold(() => this.#rollback(depth))
  }

  reorg(depth: number, contents: readonly (readonly DevTransaction[])[]): Promise<void> {
    return this.#hold(async () => {
      const { nextBlock } = this.#dependencies
      await this.#rollback(depth)
      for (let made = 0; made < depth; made++) {
        // Without it an empty block of the same second would be the very block that was reverted.
        nextBlock.set({ prevRandao: Uint8Array.from(randomBytes(32)) })
        await this.#produce(contents[made] ?? [], true)
      }
    })
  }

  async reset(target: ResetTarget, signal: AbortSignal): Promise<void> {
    // A remote may take long to answer: blocks are made meanwhile.
    const prepared =
      target.kind === 'start' ? undefined : await this.#dependencies.prepareReset(target, signal)
    try {
      const done = this.#hold(() => this.#reset(prepared, signal))
      // Only now, when no further block begins.
      prepared?.leave()
      await done
    } finally {
      await prepared?.end()
    }
  }

  async #reset(prepared: PreparedReset | undefined, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw unavailable('nobody waits for the reset any more')
    const { rollbackTo, producer, pool, sequencer, nextBlock, clock, releaseWaiters } = this.#dependencies
    const { mining, coinbase } = this.#start
    if (prepared === undefined) assertRevertible(this.#dependencies, this.#first)
    else await prepared.run()
    pool.clear()
    releaseWaiters()
    this.#settings = { ...initialSettings, nextSnapshot: this.#settings.nextSnapshot }
    clock.settings = this.#settings.clock
    nextBlock.replace({})
    producer.coinbase = coinbase
    if (prepared === undefined) await rollbackTo(this.#first, { devSettings: encodeSettings(this.#settings) })
    this.#followForkTime()
    await this.#save({})
    sequencer.setOptions(mining)
    this.#headMadeAt = this.#dependencies.now()
  }

  dropTransaction(hash: Uint8Array): Promise<boolean> {
    return this.#hold(async () => this.#dependencies.pool.remove(hash))
  }

  dropAllTransactions(): Promise<void> {
    return this.#hold(async () => this.#dependencies.pool.clear())
  }

  dropTransactionsOf(sender: Uint8Array): Promise<void> {
    return this.#hold(async () => {
      const { pool } = this.#dependencies
      for (const { hash } of [...pool.queuedOf(sender), ...pool.pendingOf(sender)].reverse())
        pool.remove(hash)
    })
  }

  isImpersonated(address: Uint8Array): boolean {
    const { impersonatesAll, impersonated } = this.#settings
    return impersonatesAll || impersonated.some((other) => equalBytes(other, address))
  }

  impersonate(address: Uint8Array): Promise<void> {
    return this.#hold(async () => {
      const { impersonated } = this.#settings
      if (!impersonated.some((other) => equalBytes(other, address)))
        await this.#save({ impersonated: [...impersonated, address] })
    })
  }

  stopImpersonating(address: Uint8Array): Promise<void> {
    return this.#hold(async () => {
      const impersonated = this.#settings.impersonated.filter((other) => !equalBytes(other, address))
      if (impersonated.length < this.#settings.impersonated.length) await this.#save({ impersonated })
    })
  }

  setAutoImpersonate(isOn: boolean): Promise<void> {
    return this.#hold(async () => {
      if (this.#settings.impersonatesAll !== isOn) await this.#save({ impersonatesAll: isOn })
    })
  }

  /** The number of the first block: that of the genesis, or the one that the chain is forked from. */
  get #first(): number {
    return this.#dependencies.blocks.meta.first()
  }

  get #headTime(): number {
    return Number(this.#dependencies.head().header.timestamp)
  }

  #hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#dependencies.sequencer.hold(work)
  }

  /** Makes the next block later than now, or than the head if that is later, by some seconds; a time that was set counts more. */
  #advance(seconds: number): void {
    const { clock, now } = this.#dependencies
    if (clock.isSet) return
    clock.setNext(Math.max(clock.now(now()), this.#headTime) + seconds)
  }

  async #produce(contents: readonly DevTransaction[], isAlone = false): Promise<void> {
    const { producer, poolHead } = this.#dependencies
    if (isAlone) await producer.produceBlockOf(contents.map((sent) => readCandidate(sent, poolHead().fork)))
    else await producer.produceBlock()
    this.onBlock()
  }

  async #rollback(depth: number): Promise<void> {
    const { head, rollbackTo, clock, nextBlock, now } = this.#dependencies
    const number = Number(head().header.number)
    if (depth > number - this.#first)
      throw refused(
        this.#first === 0
          ? `depth must not exceed current chain height: current height ${number}, depth ${depth}`
          : `depth must not exceed the blocks since the fork: current height ${number}, forked at ${this.#first}, depth ${depth}`,
      )
    assertRevertible(this.#dependencies, number - depth)
    const { baseFee } = nextBlock.overrides
    nextBlock.replace(baseFee === undefined ? {} : { baseFee })
    await rollbackTo(number - depth)
    clock.setNow(this.#headTime, now())
    this.#headMadeAt = now()
    const snapshots = this.#settings.snapshots.filter((snapshot) => snapshot.number <= number - depth)
    await this.#save({ snapshots, clock: clock.settings })
  }

  #touch(): void {
    this.#dependencies.nextBlock.touch()
  }

  async #saveClock(): Promise<void> {
    this.#touch()
    await this.#save({ clock: this.#dependencies.clock.settings })
  }

  async #save(changed: Partial<DevSettings>): Promise<void> {
    this.#settings = { ...this.#settings, ...changed }
    await this.#dependencies.saveDevSettings(encodeSettings(this.#settings))
  }
}
