import type { AppHead } from '../../app/appHead.ts'
import { packTransactions } from '../../app/packing.ts'
import { toHex } from '../../base/encoding/hex.ts'
import type { PendingBlock } from '../../chain/port/blocks.ts'
import { mergeChanges } from '../../chain/state/mergeChanges.ts'
import type { NodeExecutor } from '../../execute/nodeExecutor.ts'
import { OverlayStateView } from '../../execute/overlay/overlayStateView.ts'
import type { BlockPreview } from '../../execute/pending/buildPendingBlock.ts'
import { type StateStore, UnknownHeightError } from '../../state/stateStore.ts'
import { isGoneError } from '../reverting/askAgain.ts'
import type { Reverts } from '../reverting/revertWatch.ts'
import { createPendingBlock } from './pendingBlock.ts'
import type { BlockProducer } from './producer.ts'

export interface PendingBlocksDependencies {
  readonly executor: Pick<NodeExecutor, 'buildPendingBlock'>
  readonly producer: Pick<BlockProducer, 'coinbase' | 'nextTime' | 'propose' | 'version'>
  readonly state: Pick<StateStore, 'reader' | 'edits' | 'newestEdit'>
  readonly head: () => AppHead
  readonly reverts: Reverts
  /** Returns a number that changes whenever the content of the pool does. */
  readonly poolVersion: () => number
}

/** A pending block with all that is asked about it. */
export interface BuiltPendingBlock {
  readonly block: PendingBlock
  readonly state: OverlayStateView
  readonly preview: BlockPreview
  /** The height of the parent. */
  readonly parent: number
}

interface Build {
  /** The head with its edits, the pool's content and the attributes that the block is valid for. */
  readonly key: string
  readonly head: string
  readonly built: Promise<BuiltPendingBlock>
  /** The time that the block was to have when the build began, in seconds. */
  readonly time: number
  /** Gives the build up, unless it must be finished. */
  readonly abort: () => void
  isDone: boolean
}

/** How far the time of a pending block may be behind that of the block that would be made. geth builds a new one as often. */
const maxAgeSeconds = 2

/**
 * Builds pending blocks on request, apart from the thread that executes decided blocks. One is built at a time, once for
 * each head, pool content and proposer, and again when its time is some seconds ago. Whoever asks while one is built that
 * misses a change waits for the next, which has all changes up to its own start, so that any number of readers causes two
 * builds at most. A build that a new head made pointless is given up, but never two in a row: where heads come faster than
 * builds end, those who wait get the block that was pending when its build began.
 */
export class PendingBlocks {
  readonly #dependencies: PendingBlocksDependencies
  #latest: Build | undefined
  /** The block that follows the one that is being built. */
  #next: Promise<BuiltPendingBlock> | undefined
  /** Whether the last build ended without a block because the head had moved. */
  #hasGivenUp = false

  constructor(dependencies: PendingBlocksDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the block that would be produced now. */
  get(): Promise<BuiltPendingBlock> {
    const latest = this.#latest
    if (latest?.key === this.#key() && !this.#isOld(latest)) return latest.built
    if (latest === undefined || latest.isDone) return this.#start()
    // A block on top of an old head is needed only by those who have waited for long.
    if (latest.head !== this.#headKey()) latest.abort()
    this.#next ??= latest.built.then(
      () => this.#startNext(),
      () => this.#startNext(),
    )
    return this.#next
  }

  #isOld({ isDone, time }: Build): boolean {
    return isDone && this.#dependencies.producer.nextTime() - time > maxAgeSeconds
  }

  #startNext(): Promise<BuiltPendingBlock> {
    this.#next = undefined
    return this.get()
  }

  #start(): Promise<BuiltPendingBlock> {
    const controller = new AbortController()
    const head = this.#headKey()
    const mustFinish = this.#hasGivenUp
    const { reverts } = this.#dependencies
    const execution = this.#build(controller.signal)
    const build: Build = {
      key: this.#key(),
      head,
      time: this.#dependencies.producer.nextTime(),
      abort: () => {
        if (!mustFinish) controller.abort()
      },
      isDone: false,
      built: execution.then(
        (result) => {
          build.isDone = true
          this.#hasGivenUp = false
          return result
        },
        async (error: unknown) => {
          // The next reader tries again.
          if (this.#latest === build) this.#latest = undefined
          if (error instanceof UnknownHeightError || isGoneError(error))
            await reverts.hasPassed(reverts.count)
          // A revert may have brought the head back for which it was given up.
          const hasMoved = controller.signal.aborted || head !== this.#headKey()
          this.#hasGivenUp = !mustFinish && hasMoved
          if (!this.#hasGivenUp) throw error
          // The head has moved: the build was stopped, or the state of its parent is pruned by now.
          return this.get()
        },
      ),
    }
    this.#latest = build
    return build.built
  }

  async #build(signal: AbortSignal): Promise<BuiltPendingBlock> {
    const { executor, producer, state, head } = this.#dependencies
    const parent = Number(head().header.number)
    const base = state.reader(parent)
    const edits = state.edits(parent)
    const { attributes, transactions } = producer.propose()
    const asked = transactions.reduce((sum, { transaction }) => sum + transaction.gasLimit, 0n)
    const gas = asked < attributes.gasLimit ? asked : attributes.gasLimit
    const request = { attributes, transactions: packTransactions(transactions) }
    const preview = await executor.buildPendingBlock(request, gas, parent, signal)
    const included = new Set(preview.included)
    const inBlock = transactions.filter((_, index) => included.has(index))
    return {
      block: createPendingBlock(preview, inBlock),
      state: new OverlayStateView(base, mergeChanges(edits, preview.changes)),
      preview,
      parent,
    }
  }

  #headKey(): string {
    return toHex(this.#dependencies.head().hash)
  }

  #key(): string {
    const { poolVersion, producer, state, head } = this.#dependencies
    const edit = state.newestEdit(Number(head().header.number))
    return `${this.#headKey()} ${edit} ${poolVersion()} ${producer.version} ${toHex(producer.coinbase)}`
  }
}
