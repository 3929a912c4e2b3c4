import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/builtFiles.ts'
import { createThreadClient, ThreadError } from '../../base/threadRpc.ts'
import type { HeadUpdate } from './blockWriter.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import type { LogRecord } from './threadLog.ts'

/** What the thread says without being asked. */
export type FollowMessage =
  | { readonly kind: 'head'; readonly head: HeadUpdate }
  | { readonly kind: 'target'; readonly height: number }
  | { readonly kind: 'quarantine'; readonly node: string; readonly reason: string }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  | ({ readonly kind: 'log' } & LogRecord)

/** What `followWorker.ts` serves. */
type FollowThreadService = {
  open: () => HeadUpdate | undefined
  stats: () => FollowStats
  close: () => void
}

/** One thread that follows, seen from the main thread. */
export class FollowThread {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof createThreadClient<FollowThreadService>>
  #hasEnded = false

  /** `onEnd` is called once, when the thread cannot go on; not after `close`. */
  constructor(
    options: FollowerOptions,
    onMessage: (followMessage: Exclude<FollowMessage, { kind: 'failure' }>) => void,
    onEnd: (error: Error) => void,
  ) {
    // Most of what is parsed is garbage soon: with more room for the young, less of it is copied.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 }
    this.#worker = startWorker('follow', { name: 'follow', workerData: options, resourceLimits })
    this.#calls = createThreadClient<FollowThreadService>(this.#worker)
    const end = (error: Error): void => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      onEnd(error)
    }
    // Answers to calls have no kind.
    this.#worker.on('message', (notice: FollowMessage | { readonly kind?: undefined }) => {
      if (notice.kind === undefined || this.#hasEnded) return
      if (notice.kind === 'failure') end(new ThreadError({ name: notice.name, message: notice.message }))
      else onMessage(notice)
    })
    this.#worker.on('error', end)
    this.#worker.on('exit', (code) => end(new Error(`the thread ended with code ${code}`)))
  }

  /** What is in the store; rejects with the reason when it cannot be opened. */
  open(): Promise<HeadUpdate | undefined> {
    return this.#calls.open()
  }

  stats(): Promise<FollowStats> {
    return this.#calls.stats()
  }

  async close(): Promise<void> {
    this.#hasEnded = true
    await this.#calls.close().catch(() => undefined) // one that has ended is closed
    await this.#worker.terminate()
  }
}
