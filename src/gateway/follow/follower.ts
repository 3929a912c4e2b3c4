import type { Logger } from '../../base/logging/log.ts'
import { ThreadError } from '../../base/threads/threadRpc.ts'
import type { SyncProgress } from '../../chain/port/network.ts'
import type { Lie } from '../trust/lieLog.ts'
import type { HeadUpdate } from './blockWriter.ts'
import type { UntakenBlock } from './followOptions.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import { FollowThread } from './followThread.ts'
import { ProgressReporter } from './progressReporter.ts'
import { writeRecord } from './threadLog.ts'

export interface FollowerEvents {
  /** Called when blocks prove that an upstream lies, so that other users of the upstream avoid it too. */
  readonly onQuarantine?: (node: string, reason: string, isLie: boolean) => void
  /** Called with each lie that is proven. */
  readonly onLie?: (lie: Lie) => void
  /**
   * Called when the chain is not followed any more: at once after a failed commit, because the store must be opened
   * again by all threads, and else when the thread was restarted several times without progress. The store remains
   * readable.
   */
  readonly onFailure?: (error: Error) => void
}

/** The process that brings the chain behind a gateway into the store, seen from the main thread. */
export interface Follower {
  /** Returns the newest block in the store. */
  head(): HeadUpdate
  /**
   * Calls the listener with each new head, in order; heads may skip numbers while the store is far behind. Returns a
   * function that removes the listener.
   */
  onHead(listener: (head: HeadUpdate) => void): () => void
  /**
   * Returns the height of the chain, as far as it is proven or the node that is followed claims it; 0 if no node has
   * answered. What a node claimed that is left is forgotten.
   */
  target(): number
  /** Returns the progress of the sync; undefined if the store is synced. */
  progress(): SyncProgress | undefined
  /** Returns the block that cannot be taken; undefined if there is none. */
  untaken(): UntakenBlock | undefined
  /** Returns how many native transactions had Ethereum messages that are not understood, since the start. */
  undecoded(): number
  stats(): Promise<FollowStats>
  close(): Promise<void>
}

/**
 * Returns the progress towards a height; undefined if the head is in step with it. That is one block below too, which is on
 * its way then, and one more where the newest block is held until the next one proves it.
 */
export const progressOf = (
  startingBlock: number,
  currentBlock: number,
  highestBlock: number,
  holdsNewest = false,
): SyncProgress | undefined =>
  highestBlock > currentBlock + (holdsNewest ? 2 : 1)
    ? { startingBlock, currentBlock, highestBlock }
    : undefined

const maxRestarts = 5
const firstPauseMs = 500

/** A follower that replaces its thread if it fails for another reason than a commit. */
class SupervisedFollower implements Follower {
  readonly #options: FollowerOptions
  readonly #log: Logger
  readonly #events: FollowerEvents
  readonly #report: ProgressReporter
  readonly #listeners = new Set<(head: HeadUpdate) => void>()
  #thread: FollowThread | undefined
  #head: HeadUpdate | undefined
  #target = 0
  #untaken: UntakenBlock | undefined
  #undecoded = 0
  #starting = 0
  #restarts = 0
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: FollowerOptions, log: Logger, events: FollowerEvents, isInteractive: boolean) {
    this.#options = options
    this.#log = log
    this.#events = events
    this.#report = new ProgressReporter(log, isInteractive)
  }

  /** Resolves when there is a block in the store; rejects with errors that occur before that. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const thread = this.#startThread(reject, resolve)
      thread.open().then((head) => {
        if (head && !this.#head) this.#onHead(head)
        if (head) resolve()
      }, reject)
    })
    this.#starting = this.head().number
  }

  head(): HeadUpdate {
    if (!this.#head) throw new Error('there is no block yet')
    return this.#head
  }

  onHead(listener: (head: HeadUpdate) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  target(): number {
    return this.#target
  }

  progress(): SyncProgress | undefined {
    const currentBlock = this.#head?.number ?? 0
    return progressOf(this.#starting, currentBlock, this.#target, this.#options.holdNewest)
  }

  untaken(): UntakenBlock | undefined {
    return this.#untaken
  }

  undecoded(): number {
    return this.#undecoded
  }

  stats(): Promise<FollowStats> {
    return this.#thread?.stats() ?? Promise.resolve({ transactions: 0, upstreams: [] })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#report.stop()
    await this.#thread?.close()
  }

  #startThread(onEnd: (error: Error) => void, onHead?: () => void): FollowThread {
    const thread = new FollowThread(
      this.#options,
      (message) => {
        switch (message.kind) {
          case 'head':
            this.#onHead(message.head)
            return onHead?.()
          case 'target':
            this.#target = message.height
            return
          case 'untaken':
            this.#untaken = message.untaken
            return
          case 'undecoded':
            this.#undecoded += message.count
            return
          case 'quarantine':
            return this.#events.onQuarantine?.(message.node, message.reason, message.isLie)
          case 'lie':
            return this.#events.onLie?.(message.lie)
          case 'log':
            return writeRecord(this.#log, message)
        }
      },
      (error) => {
        onEnd(error)
        if (this.#head) this.#onEnd(error)
      },
    )
    this.#thread = thread
    return thread
  }

  #onHead(head: HeadUpdate): void {
    this.#head = head
    this.#restarts = 0
    this.#report.step(head.number, this.#target)
    for (const listener of this.#listeners) listener(head)
  }

  #onEnd(error: Error): void {
    if (this.#isClosed) return
    if (isFailedCommit(error) || this.#restarts >= maxRestarts) {
      this.#log.fatal({ reason: error.message }, 'the chain is not followed any more')
      return this.#events.onFailure?.(error)
    }
    const pauseMs = firstPauseMs * 2 ** this.#restarts++
    this.#log.error({ reason: error.message, pauseMs }, 'following the chain failed and begins again')
    const ended = this.#thread
    this.#thread = undefined
    this.#retry = setTimeout(async () => {
      await ended?.close()
      if (!this.#isClosed) this.#startThread(() => undefined)
    }, pauseMs)
  }
}

/** Returns whether an error of the thread says that a commit failed, so that nobody knows what is on the disk. */
export const isFailedCommit = (error: Error): boolean =>
  error instanceof ThreadError && error.thrownName === 'PoisonedError'

/** Starts a follower; resolves when there is a block to serve. An interactive one shows its progress on the terminal. */
export const startFollower = async (
  options: FollowerOptions,
  log: Logger,
  events: FollowerEvents = {},
  isInteractive = false,
): Promise<Follower> => {
  const follower = new SupervisedFollower(options, log, events, isInteractive)
  try {
    await follower.start()
  } catch (error) {
    await follower.close()
    throw error
  }
  return follower
}
