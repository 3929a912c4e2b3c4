import { sleep } from '../../base/async/sleep.ts'
import { type LmdbEnvironment, LowSpaceError } from '../../base/lmdb/lmdb.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { BlockWrite } from '../../families/convert/blockWrite.ts'
import { NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import type { BlockRows } from '../../store/blockRows.ts'
import type { BlockStore, StoreGenesis } from '../../store/blockStore.ts'
import { createRemovedBlockReader, type RemovedBlock } from './removedBlock.ts'

/** The newest block, even if it is not committed to the store yet. */
export interface LastBlock
  extends Omit<BlockWrite, 'rows' | 'time'>,
    Pick<BlockRows, 'hash' | 'parentHash'> {}

const toLastBlock = ({ rows, ...block }: BlockWrite): LastBlock => ({
  ...block,
  hash: rows.hash,
  parentHash: rows.parentHash,
})

export interface HeadUpdate {
  readonly number: number
  readonly hash: Uint8Array
  readonly time: number
  /** Whether the head that was served before was wrong, and was replaced or reverted. */
  readonly isCorrection: boolean
  /**
   * Whether the next header, which is not stored, confirms its results and application hash. Of a block that was stored
   * before this start nobody knows it.
   */
  readonly isConfirmed?: boolean | undefined
  /** The head that was served before, if this one is a correction. */
  readonly removed?: RemovedBlock
}

/** The largest number of blocks, and of bytes, in one transaction of the store. */
const maxBatchBlocks = 512
const maxBatchBytes = 4 * 1024 * 1024
/** The longest time between two transactions of the store, because only stored blocks can be served. */
const maxBatchAgeMs = 200
const lowSpacePauseMs = 1_000

export const sizeOf = (rows: BlockRows): number =>
  rows.frame.length +
  [...rows.transactions, ...rows.receipts, ...rows.raw].reduce((sum, { length }) => sum + length, 0)

/**
 * Writes blocks in their order, many in one transaction if many are waiting. The next blocks are converted meanwhile.
 */
export class BlockWriter {
  readonly #environment: LmdbEnvironment
  readonly #store: BlockStore
  readonly #origin: StoreGenesis & { readonly config: string; readonly position: Uint8Array }
  readonly #log: Logger
  readonly #signal: AbortSignal
  readonly #onHead: (head: HeadUpdate) => void
  readonly #readRemoved: (number: number) => RemovedBlock
  #batch: BlockWrite[] = []
  #batchBytes = 0
  #batchStartedAt = 0
  #commit: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #last: LastBlock | undefined

  constructor(
    options: {
      readonly origin: StoreGenesis
      readonly config: string
      readonly position: Uint8Array
      readonly chainId: bigint
      readonly signal: AbortSignal
    },
    dependencies: {
      readonly environment: LmdbEnvironment
      readonly store: BlockStore
      readonly log: Logger
      readonly onHead: (head: HeadUpdate) => void
    },
  ) {
    this.#environment = dependencies.environment
    this.#store = dependencies.store
    this.#log = dependencies.log
    this.#onHead = dependencies.onHead
    this.#signal = options.signal
    this.#origin = { ...options.origin, config: options.config, position: options.position }
    this.#readRemoved = createRemovedBlockReader(
      dependencies.store,
      new NativeBlockInfoReader(dependencies.environment),
      options.chainId,
    )
    this.#last = this.#readLast()
  }

  /** The last block that was added; undefined if there is none yet. */
  get last(): LastBlock | undefined {
    return this.#last
  }

  /** Adds a block, and resolves when there is room for the next. `flush` resolves when it is stored. */
  async add(block: BlockWrite): Promise<void> {
    if (this.#failure) throw this.#failure
    this.#batch.push(block)
    this.#batchBytes += sizeOf(block.rows)
    this.#last = toLastBlock(block)
    const isLate = performance.now() - this.#batchStartedAt >= maxBatchAgeMs
    if (this.#batch.length >= maxBatchBlocks || this.#batchBytes >= maxBatchBytes || isLate)
      await this.#startCommit()
  }

  async flush(): Promise<void> {
    await this.#startCommit()
    await this.#commit
    if (this.#failure) throw this.#failure
  }

  /** Replaces the newest block, whose results proved wrong. */
  async replaceLast(block: BlockWrite): Promise<void> {
    await this.flush()
    const removed = this.#readRemoved(block.number)
    await this.#transact(() => this.#store.replaceHead(block.rows))
    this.#last = toLastBlock(block)
    const { number, rows, time, isConfirmed } = block
    this.#onHead({ number, hash: rows.hash, time, isCorrection: true, isConfirmed, removed })
  }

  /**
   * Reverts the newest block, whose results proved wrong while no upstream has the right ones. Returns false for the
   * only block of the store, which cannot be reverted.
   */
  async revertLast(): Promise<boolean> {
    await this.flush()
    const before = (this.#last?.number ?? 0) - 1
    const header = this.#store.header(before)
    const hash = this.#store.blockHashAt(before)
    if (!header || !hash || !this.#store.isRetained(before)) return false
    const removed = this.#readRemoved(before + 1)
    await this.#transact(() => this.#store.revertTo(before))
    this.#last = this.#readLast()
    this.#onHead({ number: before, hash, time: Number(header.timestamp), isCorrection: true, removed })
    return true
  }

  /** Drops the blocks that are not being written yet. */
  async discard(): Promise<void> {
    this.#batch = []
    this.#batchBytes = 0
    await this.#commit
    this.#last = this.#readLast()
  }

  async #startCommit(): Promise<void> {
    await this.#commit
    if (this.#failure) throw this.#failure
    const blocks = this.#batch
    const newest = blocks.at(-1)
    if (!newest) return
    this.#batch = []
    this.#batchBytes = 0
    this.#batchStartedAt = performance.now()
    this.#commit = this.#transact(() => {
      for (const { rows } of blocks) this.#write(rows)
    }).then(
      () => {
        const { number, rows, time, isConfirmed } = newest
        this.#onHead({ number, hash: rows.hash, time, isCorrection: false, isConfirmed })
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

  /** Runs a write. If the disk is full, this is logged once, and writing continues when there is space. */
  async #transact(work: () => void): Promise<void> {
    for (let isTold = false; ; isTold = true) {
      try {
        await this.#environment.transact(work)
        if (isTold) this.#log.info('blocks are written again')
        return
      } catch (error) {
        if (!(error instanceof LowSpaceError) || this.#signal.aborted) throw error
        if (!isTold) this.#log.error({ reason: error.message }, 'no block is written until there is room')
        await sleep(lowSpacePauseMs, this.#signal)
      }
    }
  }

  #readLast(): LastBlock | undefined {
    this.#environment.refresh()
    const head = this.#store.head()
    if (!head) return undefined
    const info = new NativeBlockInfoReader(this.#environment).at(head.number)
    const { resultsHash, hash: nativeHash } = info ?? {}
    const appHash = info?.appHash ?? (this.#origin.hasNativeHashes ? undefined : head.hash)
    // Block 0 of a Perihelion chain is not from a native block, so there is no native information.
    return {
      number: head.number,
      hash: head.hash,
      parentHash: this.#store.header(head.number)?.parentHash ?? new Uint8Array(),
      nativeHash: nativeHash ?? new Uint8Array(),
      resultsHash: resultsHash ?? new Uint8Array(),
      appHash,
      node: undefined,
    }
  }
}
