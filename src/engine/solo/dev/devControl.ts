import { randomBytes } from 'node:crypto'
import { equalBytes } from '../../../base/encoding/bytes.ts'
import type { Header } from '../../../chain/block/header.ts'
import { refused, unavailable } from '../../../chain/chainError.ts'
import type {
  DevControl,
  DevSnapshot,
  DevTransaction,
  MiningMode,
  ResetOptions,
} from '../../../chain/port/dev.ts'
import type { ResetTarget } from '../../../chain/port/fork.ts'
import type { BlockHeaderOverrides } from '../../../chain/port/headerOverrides.ts'
import type { AccountEdit } from '../../../chain/state/accountEdit.ts'
import type { DevRecord } from '../../../store/tables/chainMeta.ts'
import type { EngineContext, PreparedReset } from '../../engine.ts'
import { assertRevertible } from '../../singleNode.ts'
import type { BlockClock } from '../blockClock.ts'
import type { Sequencer, SequencerOptions } from '../sequencer.ts'
import { BlockMining } from './blockMining.ts'
import {
  type DevSettings,
  decodeSettings,
  encodeSettings,
  initialSettings,
  overridesOf,
} from './devSettings.ts'
import { type Snapshot, Snapshots } from './snapshots.ts'
import { assertNonceUnused } from './unusedNonce.ts'

export interface DevControlDependencies
  extends Pick<
    EngineContext,
    | 'isKept'
    | 'saveDev'
    | 'pool'
    | 'producer'
    | 'blocks'
    | 'state'
    | 'head'
    | 'rollbackTo'
    | 'prepareReset'
    | 'setChainId'
    | 'config'
    | 'edit'
    | 'nextBlock'
    | 'onRulesChanged'
    | 'releaseWaiters'
    | 'poolHead'
  > {
  readonly sequencer: Pick<Sequencer, 'options' | 'setOptions'>
  /** Runs work while no block is made; what could not be written is an error for clients. */
  readonly hold: Sequencer['hold']
  readonly clock: BlockClock
  /** Returns milliseconds since 1970. */
  readonly now: () => number
}

/** What a reset returns to. */
interface StartSettings extends Pick<DevSettings, 'clock' | 'impersonatesAll' | 'impersonated'> {
  readonly chainId: bigint
  readonly mining: SequencerOptions
  readonly coinbase: Uint8Array
  readonly overrides: BlockHeaderOverrides
}

const timeOf = (header: Header | undefined): number => Number(header?.timestamp ?? 0n)

/** The controls of the chain that this process makes. Each waits for its turn between two blocks. */
export class SoloDevControl implements DevControl {
  #start: StartSettings
  readonly #dependencies: DevControlDependencies
  #settings: DevSettings
  readonly #snapshots: Snapshots
  readonly #mining: BlockMining
  #headMadeAt: number
  readonly isKept: boolean
  isLoggingEnabled = true

  /** `mining` is how blocks are made unless dev methods change it. */
  constructor(mining: SequencerOptions, dependencies: DevControlDependencies) {
    const { clock, impersonatesAll, impersonated } = initialSettings
    this.#start = {
      chainId: dependencies.config.chainId,
      mining,
      coinbase: dependencies.producer.coinbase,
      clock,
      impersonatesAll,
      impersonated,
      overrides: {},
    }
    this.#dependencies = dependencies
    this.isKept = dependencies.isKept
    this.#mining = new BlockMining({ ...dependencies, onBlock: () => this.onBlock() })
    const { meta } = dependencies.blocks
    const stored = meta.devSettings()
    const { settings, older } =
      stored === undefined ? { settings: initialSettings, older: [] } : decodeSettings(stored)
    this.#settings = settings
    this.#snapshots = new Snapshots(meta.snapshots.all(), older)
    dependencies.clock.settings = this.#settings.clock
    this.#headMadeAt = dependencies.now()
    if (stored === undefined) {
      this.#followForkTime(this.#headTime)
      this.#settings = { ...this.#settings, clock: dependencies.clock.settings }
    }
  }

  /** The time of a forked chain goes on from that of its head, which may be years ago. */
  #followForkTime(headTime: number): void {
    const { blocks, clock, now } = this.#dependencies
    if (blocks.meta.fork() !== undefined) clock.setNow(headTime, now())
  }

  /** To be called after each block. */
  onBlock(): void {
    const { clock, head, now } = this.#dependencies
    this.#headMadeAt = now()
    clock.onBlock(Number(head().header.timestamp), this.#headMadeAt)
  }

  mine(
    count: number,
    interval: number | undefined,
    signal: AbortSignal,
    spacing: 'all' | 'between' = 'all',
  ): Promise<void> {
    return this.#hold(() => this.#mining.mine(count, interval ?? 0, signal, spacing))
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
      await this.#setClock(() => clock.increase(seconds, this.#headTime, now()))
      return clock.settings.offset
    })
  }

  setTime(time: number): Promise<number> {
    return this.#hold(async () => {
      const { clock, now } = this.#dependencies
      const before = clock.now(now())
      await this.#setClock(() => clock.setNow(time, now()))
      return Math.max(0, time - before)
    })
  }

  setNextBlockTime(time: number): Promise<void> {
    return this.#hold(async () => {
      if (time < this.#headTime)
        throw refused(`Timestamp error: ${time} is lower than previous block's timestamp (${this.#headTime})`)
      this.#dependencies.clock.setNext(time)
      this.#dependencies.nextBlock.touch()
    })
  }

  setTimestampInterval(seconds: number | undefined): Promise<void> {
    return this.#hold(async () => {
      const { clock } = this.#dependencies
      await this.#setClock(() => {
        clock.interval = seconds
      })
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
      const { blocks, edit } = this.#dependencies
      for (const { address, nonce } of edits)
        if (nonce !== undefined && this.isKept) assertNonceUnused(blocks, address, nonce)
      await edit(edits)
    })
  }

  snapshot(): Promise<number> {
    return this.#hold(async () => {
      const { head, state, nextBlock } = this.#dependencies
      const { header, hash } = head()
      const id = this.#settings.nextSnapshot
      const number = Number(header.number)
      const edit = state.newestEdit(number)
      await this.#store(() => {
        const { baseFee, gasLimit } = nextBlock.overrides
        this.#snapshots.add({ id, number, hash, edit, baseFee, gasLimit })
        return { nextSnapshot: id + 1 }
      })
      return id
    })
  }

  revert(id: number): Promise<boolean> {
    return this.#hold(async () => {
      const { blocks, state } = this.#dependencies
      const taken = this.#snapshots.get(id)
      const known = taken && blocks.blockHashAt(taken.number)
      if (taken === undefined || known === undefined || !equalBytes(known, taken.hash)) return false
      // A rollback to its block reverted what was changed there after the block.
      if (!state.hasEdit(taken.number, taken.edit)) return false
      await this.#revertTo(taken, overridesOf(taken), (snapshot) => snapshot.id >= id)
      return true
    })
  }

  snapshots(): readonly DevSnapshot[] {
    return this.#snapshots.all()
  }

  rollback(depth: number): Promise<void> {
    return this.#hold(() => this.#rollback(depth))
  }

  reorg(depth: number, contents: readonly (readonly DevTransaction[])[]): Promise<void> {
    return this.#hold(async () => {
      const { nextBlock } = this.#dependencies
      // Before anything is reverted: blocks that cannot be made would leave the chain shorter.
      const blocks = contents.map((content) => this.#mining.readCandidates(content))
      await this.#rollback(depth)
      for (let made = 0; made < depth; made++) {
        // Without it an empty block of the same second would be the very block that was reverted.
        nextBlock.set({ prevRandao: Uint8Array.from(randomBytes(32)) })
        await this.#mining.produceBlockOf(blocks[made] ?? [])
      }
    })
  }

  async reset(target: ResetTarget, signal: AbortSignal, options: ResetOptions = {}): Promise<void> {
    // A remote may take long to answer: blocks are made meanwhile.
    const prepared =
      target.kind === 'start' ? undefined : await this.#dependencies.prepareReset(target, signal)
    try {
      const done = this.#hold(() => this.#reset(prepared, signal, options.keepsSettings === true))
      // Only now, when no further block begins.
      prepared?.leave()
      await done
    } finally {
      await prepared?.end()
    }
  }

  setChainId(chainId: bigint): Promise<void> {
    return this.#hold(async () => {
      await this.#setChainId(chainId)
      this.#dependencies.onRulesChanged()
    })
  }

  keepAsStart(): void {
    const { config, sequencer, producer, clock, nextBlock, blocks } = this.#dependencies
    this.#start = {
      chainId: config.chainId,
      mining: sequencer.options,
      coinbase: producer.coinbase,
      // The clock of a fork follows its block, and that of a chain of its own does not.
      clock: blocks.meta.fork() === undefined ? clock.settings : initialSettings.clock,
      impersonatesAll: this.#settings.impersonatesAll,
      impersonated: initialSettings.impersonated,
      overrides: nextBlock.overrides,
    }
  }

  async #reset(
    prepared: PreparedReset | undefined,
    signal: AbortSignal,
    keepsSettings: boolean,
  ): Promise<void> {
    if (signal.aborted) throw unavailable('nobody waits for the reset any more')
    const target = keepsSettings ? this.#settingsOfNow(prepared === undefined) : this.#start
    if (prepared === undefined) {
      await this.#revertToStart(target)
      await this.#setChainId(target.chainId)
    } else {
      await prepared.run()
      this.#snapshots.clear()
      this.#settings = { ...this.#settings, ...this.#toInitial(this.#headTime, target) }
    }
    const { producer, pool, sequencer, releaseWaiters, onRulesChanged, saveDev, now } = this.#dependencies
    pool.clear()
    releaseWaiters()
    producer.coinbase = target.coinbase
    onRulesChanged()
    sequencer.setOptions(target.mining)
    this.#headMadeAt = now()
    // After the rest: the other chain is there, whether this can be stored or not.
    if (prepared !== undefined) await saveDev(this.#record())
  }

  /** What a reset of anvil keeps: all but the time, and what was set for the next block alone. */
  #settingsOfNow(isSameChain: boolean): StartSettings {
    const { config, sequencer, producer, clock, nextBlock } = this.#dependencies
    const { gasLimit } = nextBlock.overrides
    return {
      chainId: config.chainId,
      mining: sequencer.options,
      coinbase: producer.coinbase,
      clock: { ...this.#start.clock, interval: clock.interval },
      impersonatesAll: this.#settings.impersonatesAll,
      impersonated: this.#settings.impersonated,
      // A fork goes on from the gas limit of its block.
      overrides: { ...this.#start.overrides, ...(isSameChain && gasLimit !== undefined && { gasLimit }) },
    }
  }

  async #revertToStart(target: StartSettings): Promise<void> {
    const { blocks, rollbackTo } = this.#dependencies
    const first = this.#first
    assertRevertible(this.#dependencies, first)
    const change = (): Partial<DevSettings> => {
      this.#snapshots.removeWhere(() => true)
      return this.#toInitial(timeOf(blocks.header(first)), target)
    }
    await this.#store(change, (dev) => rollbackTo(first, { dev }))
  }

  /** Sets the clock and the next block, and returns the settings that go with them. No id is given a second time. */
  #toInitial(headTime: number, target: StartSettings): Partial<DevSettings> {
    const { clock, nextBlock } = this.#dependencies
    const { impersonatesAll, impersonated, overrides } = target
    clock.settings = target.clock
    nextBlock.replace(overrides)
    this.#followForkTime(headTime)
    const { nextSnapshot } = this.#settings
    return { ...initialSettings, clock: clock.settings, impersonatesAll, impersonated, nextSnapshot }
  }

  dropTransaction(hash: Uint8Array): Promise<boolean> {
    return this.#hold(async () => {
      const { pool } = this.#dependencies
      const transaction = pool.get(hash)
      if (transaction !== undefined) pool.takeOut([transaction])
      return transaction !== undefined
    })
  }

  dropAllTransactions(): Promise<void> {
    return this.#hold(async () => this.#dependencies.pool.takeOutAll())
  }

  dropTransactionsOf(sender: Uint8Array): Promise<void> {
    return this.#hold(async () => {
      const { pool } = this.#dependencies
      pool.takeOut([...pool.pendingOf(sender), ...pool.queuedOf(sender)])
    })
  }

  isImpersonated(address: Uint8Array): boolean {
    const { impersonatesAll, impersonated } = this.#settings
    return impersonatesAll || impersonated.some((other) => equalBytes(other, address))
  }

  impersonated(): readonly Uint8Array[] {
    return this.#settings.impersonated
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

  async #setChainId(chainId: bigint): Promise<void> {
    const { config, setChainId } = this.#dependencies
    if (config.chainId !== chainId) await setChainId(chainId)
  }

  #hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#dependencies.hold(work)
  }

  async #rollback(depth: number): Promise<void> {
    const { head, nextBlock } = this.#dependencies
    const number = Number(head().header.number)
    if (depth > number - this.#first)
      throw refused(
        this.#first === 0
          ? `depth must not exceed current chain height: current height ${number}, depth ${depth}`
          : `depth must not exceed the blocks since the fork: current height ${number}, forked at ${this.#first}, depth ${depth}`,
      )
    const target = number - depth
    await this.#revertTo(
      { number: target },
      overridesOf(nextBlock.overrides),
      (snapshot) => snapshot.number > target,
    )
  }

  /** Reverts blocks, with the time and the snapshots that came after. If it rejects, everything is as it was. */
  async #revertTo(
    { number, edit }: { readonly number: number; readonly edit?: number },
    overrides: BlockHeaderOverrides,
    isGone: (snapshot: Snapshot) => boolean,
  ): Promise<void> {
    const { blocks, rollbackTo, nextBlock, clock, now, onRulesChanged } = this.#dependencies
    assertRevertible(this.#dependencies, number)
    const change = (): Partial<DevSettings> => {
      clock.setNow(timeOf(blocks.header(number)), now())
      nextBlock.replace(overrides)
      this.#snapshots.removeWhere(isGone)
      return { clock: clock.settings }
    }
    await this.#store(change, (dev) => rollbackTo(number, { ...(edit !== undefined && { edit }), dev }))
    this.#headMadeAt = now()
    onRulesChanged()
  }

  #setClock(set: () => void): Promise<void> {
    const { clock, nextBlock } = this.#dependencies
    return this.#store(() => {
      set()
      nextBlock.touch()
      return { clock: clock.settings }
    })
  }

  #save(changed: Partial<DevSettings>): Promise<void> {
    return this.#store(() => changed)
  }

  /**
   * Changes the clock, the next block, the snapshots and the settings, and stores what a restart keeps of them. If that
   * fails they are as they were: there may be no space, and the client may try again.
   */
  async #store(
    change: () => Partial<DevSettings>,
    write: (record: DevRecord) => Promise<void> = this.#dependencies.saveDev,
  ): Promise<void> {
    const { clock, nextBlock } = this.#dependencies
    const settings = this.#settings
    const { overrides } = nextBlock
    const resetClock = clock.remember()
    try {
      this.#settings = { ...settings, ...change() }
      await write(this.#record())
    } catch (error) {
      this.#settings = settings
      this.#snapshots.undo()
      resetClock()
      nextBlock.replace(overrides)
      throw error
    }
    this.#snapshots.onStored()
  }

  /** Returns what is to be stored now. */
  #record(): DevRecord {
    return { settings: encodeSettings(this.#settings), snapshots: this.#snapshots.changes() }
  }
}
