import { type LmdbEnvironment, LowSpaceError } from '../../base/lmdb.ts'
import type { Logger } from '../../base/log.ts'
import type { BlockRows } from '../../store/blockRows.ts'
import type { BlockStore, StoreOrigin } from '../../store/blockStore.ts'
import { pause } from '../client/deadline.ts'
import { type Commitments, StoredFacts } from './nativeFacts.ts'

/** A block on its way to the store, and what its successor is checked against. */
export interface WrittenBlock extends Commitments {
  readonly rows: BlockRows
  readonly number: number
  readonly time: number
  readonly nativeHash: Uint8Array
  /** Who told its results; undefined: it was found in the store. */
  readonly node: string | undefined
}

/** The newest block, also where it waits for its transaction. */
export type LastBlock = Omit<WrittenBlock, 'rows' | 'time'>

export interface HeadNotice {
  readonly number: number
  readonly hash: Uint8Array
  readonly time: number
  /** What was served as the head was wrong and is replaced, or taken back. */
  readonly isCorrection: boolean
}

/** One transaction of the store has no more blocks than this, and no more bytes. */
const mostBlocks = 512
const mostBytes = 4 * 1024 * 1024
/** Nor is one begun later than this after the one before: what is in the store can be served. */
const longestMs = 200
const lowSpacePauseMs = 1_000

const sizeOf = (rows: BlockRows): number =>
  rows.frame.length +
  [...rows.transactions, ...rows.receipts, ...rows.raw].reduce((sum, { length }) => sum + length, 0)

/** Writes blocks in their order, many in one transaction while there are many; the next are made meanwhile. */
export class BlockWriter {
  readonly #environment: LmdbEnvironment
  readonly #store: BlockStore
  readonly #origin: StoreOrigin & { readonly config: string; readonly position: Uint8Array }
  readonly #log: Logger
  readonly #signal: AbortSignal
  readonly #onHead: (head: HeadNotice) => void
  #batch: WrittenBlock[] = []
  #batchBytes = 0
  #begunAt = 0
  #commit: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #last: LastBlock | undefined

  constructor(
    options: {
      readonly origin: StoreOrigin
      readonly config: string
      readonly position: Uint8Array
      readonly signal: AbortSignal
    },
    dependencies: {
      readonly environment: LmdbEnvironment
      readonly store: BlockStore
      readonly log: Logger
      readonly onHead: (head: HeadNotice) => void
    },
  ) {
    this.#environment = dependencies.environment
    this.#store = dependencies.store
    this.#log = dependencies.log
    this.#onHead = dependencies.onHead
    this.#signal = options.signal
    this.#origin = { ...options.origin, config: options.config, position: options.position }
    this.#last = this.#readLast()
  }

  /** Undefined: nothing was written yet. */
  get last(): LastBlock | undefined {
    return this.#last
  }

  /** Returns when there is room for the next; what was added is in the store after `flush`. */
  async add(block: WrittenBlock): Promise<void> {
    if (this.#failure) throw this.#failure
    this.#batch.push(block)
    this.#batchBytes += sizeOf(block.rows)
    this.#last = block
    const isLate = performance.now() - this.#begunAt >= longestMs
    if (this.#batch.length >= mostBlocks || this.#batchBytes >= mostBytes || isLate) await this.#begin()
  }

  async flush(): Promise<void> {
    await this.#begin()
    await this.#commit
    if (this.#failure) throw this.#failure
  }

  /** What the newest block was said to be is wrong; this is what it is. */
  async replaceLast(block: WrittenBlock): Promise<void> {
    await this.flush()
    await this.#transact(() => this.#store.replaceHead(block.rows))
    this.#last = block
    this.#onHead({ number: block.number, hash: block.rows.hash, time: block.time, isCorrection: true })
  }

  /** The newest block is wrong, and nobody says what it is. The only block there is cannot be taken back. */
  async takeBackLast(): Promise<boolean> {
    await this.flush()
    const before = (this.#last?.number ?? 0) - 1
    const header = this.#store.header(before)
    const hash = this.#store.blockHashAt(before)
    if (!header || !hash || !this.#store.isKept(before)) return false
    await this.#transact(() => this.#store.removeAbove(before))
    this.#last = this.#readLast()
    this.#onHead({ number: before, hash, time: Number(header.timestamp), isCorrection: true })
    return true
  }

  /** Drops what is not on its way to the store yet. */
  async discard(): Promise<void> {
    this.#batch = []
    this.#batchBytes = 0
    await this.#commit
    this.#last = this.#readLast()
  }

  async #begin(): Promise<void> {
    await this.#commit
    if (this.#failure) throw this.#failure
    const blocks = this.#batch
    const newest = blocks.at(-1)
    if (!newest) return
    this.#batch = []
    this.#batchBytes = 0
    this.#begunAt = performance.now()
    this.#commit = this.#transact(() => {
      for (const { rows } of blocks) this.#write(rows)
    }).then(
      () => {
        const { number, rows, time } = newest
        this.#onHead({ number, hash: rows.hash, time, isCorrection: false })
      },
      (error: Error) => {
        this.#failure = error
      },
    )
  }

  #write(rows: BlockRows): void {
    if (this.#store.head()) return this.#store.write(rows)
    const { config, position, ...origin } = this.#origin
    this.#store.initialize(rows, config, origin)
    this.#store.meta.setEnginePosition(position)
  }

  /** A full disk is waited for: it is said once, and blocks go on when there is room. */
  async #transact(work: () => void): Promise<void> {
    for (let isTold = false; ; isTold = true) {
      try {
        return await this.#environment.transact(work)
      } catch (error) {
        if (!(error instanceof LowSpaceError) || this.#signal.aborted) throw error
        if (!isTold) this.#log.error({ reason: error.message }, 'no block is written until there is room')
        await pause(lowSpacePauseMs, this.#signal)
      }
    }
  }

  #readLast(): LastBlock | undefined {
    this.#environment.refresh()
    const head = this.#store.head()
    if (!head) return undefined
    const facts = new StoredFacts(this.#environment).at(head.number)
    const { resultsHash, appHash, hash: nativeHash } = facts ?? {}
    // Block 0 of a Perihelion chain was made by nobody: there is nothing native about it.
    return {
      number: head.number,
      nativeHash: nativeHash ?? new Uint8Array(),
      resultsHash: resultsHash ?? new Uint8Array(),
      appHash,
      node: undefined,
    }
  }
}
