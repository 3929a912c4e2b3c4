import type { AppHead } from '../../app/appHead.ts'
import type { RollbackOptions } from '../../app/application.ts'
import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { LiveChainConfig } from '../../chain/config/liveConfig.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import { followSchedule } from '../../chain/validators/schedule.ts'
import type { BlockTimeRule } from '../../engine/blocks/blockTime.ts'
import type { NextBlock } from '../../engine/blocks/nextBlock.ts'
import { toPoolHead } from '../../pool/head.ts'
import type { TransactionPool } from '../../pool/pool.ts'
import type { PoolHead } from '../../pool/types.ts'
import type { ChainEvents } from '../../served/chainEvents.ts'
import type { StateStore } from '../../state/stateStore.ts'
import type { ForkWatch } from './forkWatch.ts'

export interface HeadTrackerDependencies {
  readonly config: LiveChainConfig
  /** Told of each head, and of a new schedule of forks. */
  readonly forks: Pick<ForkWatch, 'onHead' | 'onSchedule'>
  readonly environment: Pick<LmdbEnvironment, 'refresh' | 'holdReads'>
  readonly state: StateStore
  readonly nextBlockTime: BlockTimeRule
  /** What clients of a dev chain set for the next block. */
  readonly nextBlock: Pick<NextBlock, 'overrides'>
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /** Called with each head, before anybody on this thread can read it. */
  readonly onMove?: (head: AppHead) => void
}

/** The parts that are notified when the head changes. */
export interface HeadFollowers {
  readonly events: Pick<ChainEvents, 'emitExtended' | 'prepareRevert'>
  readonly pool: Pick<TransactionPool, 'reset' | 'onHead' | 'clear'>
  /** Removes every block above the height from the store. */
  readonly rollback: (height: number, options: RollbackOptions) => Promise<AppHead>
}

/** The head that the parts of this thread read from, and the ways in which it changes. */
export class HeadTracker {
  readonly #dependencies: HeadTrackerDependencies
  #head: AppHead
  #state: EvmStateReader

  constructor(head: AppHead, dependencies: HeadTrackerDependencies) {
    this.#dependencies = dependencies
    this.#head = head
    dependencies.state.servedHead = this.number
    this.#state = dependencies.state.parentState(this.number)
  }

  get head(): AppHead {
    return this.#head
  }

  get number(): number {
    return Number(this.#head.header.number)
  }

  /** Returns the state after the head, with the changes that were made to it from outside a block. */
  get state(): EvmStateReader {
    return this.#state
  }

  /** Returns the rules and prices of the next block if it were produced now. */
  poolHead(): PoolHead {
    const { config, nextBlockTime, nextBlock, now } = this.#dependencies
    const { header } = this.#head
    const { baseFee, gasLimit } = nextBlock.overrides
    const nextTime = () => nextBlockTime(Number(header.timestamp), now())
    return toPoolHead(config, header, nextTime, { baseFee, gasLimit })
  }

  /** Moves to a new head; all blocks up to it are stored. */
  advance(next: AppHead, { events }: Pick<HeadFollowers, 'events'>): void {
    const before = this.number
    this.#move(next)
    events.emitExtended(before, this.number)
  }

  /** Moves to a new head that is far from the old one: the blocks between them are not stored. */
  jump(next: AppHead, { events, pool }: HeadFollowers): void {
    this.#move(next)
    // The genesis block is not a new block to notify of.
    if (this.number > 0) events.emitExtended(this.number - 1, this.number)
    pool.reset(this.poolHead(), [])
  }

  /**
   * Moves to the first block of another chain; `notify` reports the blocks that are gone. Nothing of the pool stays:
   * transactions are for one chain, and the accounts of their senders may have to be requested first.
   */
  restart(next: AppHead, { events, pool }: HeadFollowers, notify: () => void): void {
    pool.clear()
    const before = this.number
    this.#move(next)
    notify()
    if (this.number > before) events.emitExtended(this.number - 1, this.number)
    pool.reset(this.poolHead(), [])
  }

  /** Reads the state of the head again, after accounts were changed from outside a block. */
  refresh(changed: readonly Uint8Array[], { pool }: Pick<HeadFollowers, 'pool'>): void {
    this.#move(this.#head)
    pool.onHead(this.poolHead(), { included: [], changed })
  }

  /** Removes every block above the height. This thread reads the old head until it has the new one. */
  async rollbackTo(height: number, followers: HeadFollowers, options: RollbackOptions = {}): Promise<void> {
    const notify = await followers.events.prepareRevert(this.number, height)
    const letReadsGoOn = this.#dependencies.environment.holdReads()
    let next: AppHead
    try {
      next = await followers.rollback(height, options)
    } finally {
      letReadsGoOn()
    }
    this.advance(next, followers)
    notify()
    followers.pool.reset(this.poolHead(), [])
  }

  #move(next: AppHead): void {
    const { environment, state, config, forks } = this.#dependencies
    this.#dependencies.onMove?.(next)
    environment.refresh()
    this.#head = next
    state.servedHead = this.number
    this.#state = state.parentState(this.number)
    if (followSchedule(config, this.#state)) forks.onSchedule(next.header.timestamp)
    else forks.onHead(next.header.timestamp)
  }
}
