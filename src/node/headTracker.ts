import type { AppHead } from '../app/application.ts'
import type { LmdbEnvironment } from '../base/lmdb.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import type { WorldReader } from '../chain/state/world.ts'
import { poolHeadOf } from '../pool/head.ts'
import type { TransactionPool } from '../pool/pool.ts'
import type { PoolHead } from '../pool/types.ts'
import type { ChainEvents } from '../served/chainEvents.ts'
import type { StateStore } from '../state/store.ts'

export interface HeadTrackerDependencies {
  readonly config: ChainConfig
  readonly environment: Pick<LmdbEnvironment, 'refresh'>
  readonly state: StateStore
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Those who are told when the head moves. */
export interface HeadFollowers {
  readonly events: Pick<ChainEvents, 'grown' | 'takeBack'>
  readonly pool: Pick<TransactionPool, 'reset'>
  /** Removes every block above the height from the store. */
  readonly rollback: (height: number) => Promise<AppHead>
}

/** The block that everybody on this thread reads from, and the ways in which it moves. */
export class HeadTracker {
  readonly #dependencies: HeadTrackerDependencies
  #head: AppHead
  #world: WorldReader

  constructor(head: AppHead, dependencies: HeadTrackerDependencies) {
    this.#dependencies = dependencies
    this.#head = head
    this.#world = dependencies.state.reader(Number(head.header.number))
  }

  get head(): AppHead {
    return this.#head
  }

  get number(): number {
    return Number(this.#head.header.number)
  }

  /** The state after the head. */
  get world(): WorldReader {
    return this.#world
  }

  /** Gives the rules and prices of the next block, if it came now. */
  poolHead(): PoolHead {
    const { config, now } = this.#dependencies
    return poolHeadOf(config, this.#head.header, Math.floor(now() / 1000))
  }

  /** The blocks up to the new head are there. */
  advance(next: AppHead, { events }: Pick<HeadFollowers, 'events'>): void {
    const before = this.number
    this.#move(next)
    events.grown(before, this.number)
  }

  /** The new head is far from the old one: the blocks between are not there. */
  jump(next: AppHead, { events, pool }: HeadFollowers): void {
    this.#move(next)
    // Back at the first block there is nothing new to tell.
    if (this.number > 0) events.grown(this.number - 1, this.number)
    pool.reset(this.poolHead(), [])
  }

  /** Removes every block above the height. */
  async rollbackTo(height: number, followers: HeadFollowers): Promise<void> {
    const tell = await followers.events.takeBack(this.number, height)
    this.advance(await followers.rollback(height), followers)
    tell()
    followers.pool.reset(this.poolHead(), [])
  }

  #move(next: AppHead): void {
    const { environment, state } = this.#dependencies
    environment.refresh()
    this.#head = next
    this.#world = state.reader(this.number)
  }
}
