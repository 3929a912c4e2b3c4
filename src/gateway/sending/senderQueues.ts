import { toHex } from '../../base/encoding/hex.ts'
import type { Logger } from '../../base/logging/log.ts'

/** The transactions of one sender, one after the other. */
export interface SenderQueue {
  readonly sender: Uint8Array
  isRunning: boolean
  isRerunRequested: boolean
  /** The time at which the queue runs again. */
  dueAt: number
  waitsForHead: boolean
  /**
   * Whether the last attempt got no response; new transactions are then acknowledged without waiting for the next
   * attempt.
   */
  isStuck: boolean
}

interface SenderQueuesOptions {
  /** The time until a queue runs again if nothing happens. */
  readonly rebroadcastMs: number
  /** The time until the next run after one that failed. */
  readonly retryMs: number
}

interface SenderQueuesDependencies {
  /** Sends what is due of a queue. */
  readonly send: (queue: SenderQueue) => Promise<void>
  /** Returns whether a sender has executable transactions. */
  readonly hasPending: (sender: Uint8Array) => boolean
  readonly now: () => number
  readonly log: Logger
}

/** The queues of all senders. Each is run when something has changed for it or its time has come, never twice at once. */
export class SenderQueues {
  readonly #options: SenderQueuesOptions
  readonly #dependencies: SenderQueuesDependencies
  readonly #queues = new Map<string, SenderQueue>()
  #isClosed = false

  constructor(options: SenderQueuesOptions, dependencies: SenderQueuesDependencies) {
    this.#options = options
    this.#dependencies = dependencies
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  of(sender: Uint8Array): SenderQueue {
    const id = toHex(sender)
    const queue = this.#queues.get(id) ?? {
      sender,
      isRunning: false,
      isRerunRequested: false,
      dueAt: 0,
      waitsForHead: false,
      isStuck: false,
    }
    this.#queues.set(id, queue)
    return queue
  }

  schedule(queue: SenderQueue): void {
    queue.isRerunRequested = true
    if (queue.isRunning) return
    queue.isRunning = true
    // It runs in a later turn of the event loop, so that transactions submitted in this one are sent together.
    setImmediate(() => void this.#run(queue))
  }

  scheduleAll(): void {
    for (const queue of this.#queues.values()) this.schedule(queue)
  }

  /** Runs the queues that wait for another head, because prices and nonces have changed. */
  onHead(): void {
    for (const queue of this.#queues.values()) if (queue.waitsForHead) this.schedule(queue)
  }

  /** Has a queue run again after a time, or at the next head. */
  backOff(queue: SenderQueue, milliseconds: number): false {
    queue.dueAt = Math.min(queue.dueAt, this.#dependencies.now() + milliseconds)
    queue.waitsForHead = true
    return false
  }

  /** Runs the queues whose time has come. */
  tick(): void {
    const now = this.#dependencies.now()
    for (const queue of this.#queues.values())
      if (queue.dueAt <= now && !queue.isRunning) this.schedule(queue)
  }

  close(): void {
    this.#isClosed = true
  }

  async #run(queue: SenderQueue): Promise<void> {
    const { send, hasPending, now, log } = this.#dependencies
    try {
      while (queue.isRerunRequested && !this.#isClosed) {
        queue.isRerunRequested = false
        queue.waitsForHead = false
        queue.dueAt = now() + this.#options.rebroadcastMs
        await send(queue)
      }
    } catch (error) {
      log.error({ err: error }, 'transactions of a sender could not be sent')
      this.backOff(queue, this.#options.retryMs)
    } finally {
      queue.isRunning = false
      if (!hasPending(queue.sender) && !queue.isRerunRequested) this.#queues.delete(toHex(queue.sender))
    }
  }
}
