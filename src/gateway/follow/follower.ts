import type { Logger } from '../../base/log.ts'
import type { SyncProgress } from '../../chain/port/network.ts'
import type { HeadNotice } from './blockWriter.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import { FollowThread } from './followThread.ts'
import { ProgressReport } from './progressReport.ts'
import { writeRecord } from './threadLog.ts'

export interface FollowerEvents {
  /** A node lies, as the blocks show: others who use it should know. */
  readonly onQuarantine?: (node: string, reason: string) => void
  /** It was begun again and again and does not get on: a broken disk. What is in the store stays readable. */
  readonly onFailure?: (error: Error) => void
}

/** The chain behind a gateway as it comes into the store, seen from the main thread. */
export interface Follower {
  /** The newest block in the store. */
  head(): HeadNotice
  /** Called in order; heads may skip numbers while the store is far behind. Returns how to call that off. */
  onHead(listener: (head: HeadNotice) => void): () => void
  /** Undefined: the store is where the chain is. */
  progress(): SyncProgress | undefined
  stats(): Promise<FollowStats>
  close(): Promise<void>
}

const mostRestarts = 5
const firstPauseMs = 500

/** A thread that follows; one that fails is replaced, as a store that failed to commit has to be opened again. */
class SupervisedFollower implements Follower {
  readonly #options: FollowerOptions
  readonly #log: Logger
  readonly #events: FollowerEvents
  readonly #report: ProgressReport
  readonly #listeners = new Set<(head: HeadNotice) => void>()
  #thread: FollowThread | undefined
  #head: HeadNotice | undefined
  #target = 0
  #starting = 0
  #restarts = 0
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: FollowerOptions, log: Logger, events: FollowerEvents) {
    this.#options = options
    this.#log = log
    this.#events = events
    this.#report = new ProgressReport(log)
  }

  /** Resolves when there is a block; what goes wrong before that is thrown. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const thread = this.#begin(reject, resolve)
      thread.open().then((head) => {
        if (head && !this.#head) this.#onHead(head)
        if (head) resolve()
      }, reject)
    })
    this.#starting = this.head().number
  }

  head(): HeadNotice {
    if (!this.#head) throw new Error('there is no block yet')
    return this.#head
  }

  onHead(listener: (head: HeadNotice) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  progress(): SyncProgress | undefined {
    const currentBlock = this.#head?.number ?? 0
    return this.#target > currentBlock + 1
      ? { startingBlock: this.#starting, currentBlock, highestBlock: this.#target }
      : undefined
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

  #begin(onEnd: (error: Error) => void, onHead?: () => void): FollowThread {
    const thread = new FollowThread(
      this.#options,
      (notice) => {
        switch (notice.kind) {
          case 'head':
            this.#onHead(notice.head)
            return onHead?.()
          case 'target':
            this.#target = Math.max(this.#target, notice.height)
            return
          case 'quarantine':
            return this.#events.onQuarantine?.(notice.node, notice.reason)
          case 'log':
            return writeRecord(this.#log, notice)
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

  #onHead(head: HeadNotice): void {
    this.#head = head
    this.#restarts = 0
    this.#report.step(head.number, this.#target)
    for (const listener of this.#listeners) listener(head)
  }

  #onEnd(error: Error): void {
    if (this.#isClosed) return
    if (this.#restarts >= mostRestarts) {
      this.#log.fatal({ reason: error.message }, 'the chain is not followed any more')
      return this.#events.onFailure?.(error)
    }
    const pauseMs = firstPauseMs * 2 ** this.#restarts++
    this.#log.error({ reason: error.message, pauseMs }, 'following the chain failed and begins again')
    const ended = this.#thread
    this.#thread = undefined
    this.#retry = setTimeout(async () => {
      await ended?.close()
      if (!this.#isClosed) this.#begin(() => undefined)
    }, pauseMs)
  }
}

/** Begins to follow; resolves when there is a block to serve. */
export const startFollower = async (
  options: FollowerOptions,
  log: Logger,
  events: FollowerEvents = {},
): Promise<Follower> => {
  const follower = new SupervisedFollower(options, log, events)
  try {
    await follower.start()
  } catch (error) {
    await follower.close()
    throw error
  }
  return follower
}
