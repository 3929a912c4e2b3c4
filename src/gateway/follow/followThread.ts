import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/builtFiles.ts'
import { callThread, ThreadError } from '../../base/threadCalls.ts'
import type { HeadNotice } from './blockWriter.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import type { LogRecord } from './threadLog.ts'

/** What the thread says without being asked. */
export type FollowNotice =
  | { readonly kind: 'head'; readonly head: HeadNotice }
  | { readonly kind: 'target'; readonly height: number }
  | { readonly kind: 'quarantine'; readonly node: string; readonly reason: string }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  | ({ readonly kind: 'log' } & LogRecord)

/** What `followWorker.ts` serves. */
type FollowThreadService = {
  open: () => HeadNotice | undefined
  stats: () => FollowStats
  close: () => void
}

/** One thread that follows, seen from the main thread. */
export class FollowThread {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof callThread<FollowThreadService>>
  #hasEnded = false

  /** `onEnd` is called once, when the thread cannot go on; not after `close`. */
  constructor(
    options: FollowerOptions,
    onNotice: (notice: Exclude<FollowNotice, { kind: 'failure' }>) => void,
    onEnd: (error: Error) => void,
  ) {
    // Most of what is parsed is garbage soon: with more room for the young, less of it is copied.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 }
    this.#worker = startWorker('follow', { name: 'follow', workerData: options, resourceLimits })
    this.#calls = callThread<FollowThreadService>(this.#worker)
    const end = (error: Error): void => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      onEnd(error)
    }
    // Answers to calls have no kind.
    this.#worker.on('message', (notice: FollowNotice | { readonly kind?: undefined }) => {
      if (notice.kind === undefined || this.#hasEnded) return
      if (notice.kind === 'failure') end(new ThreadError({ name: notice.name, message: notice.message }))
      else onNotice(notice)
    })
    this.#worker.on('error', end)
    this.#worker.on('exit', (code) => end(new Error(`the thread ended with code ${code}`)))
  }

  /** What is in the store; rejects with the reason when it cannot be opened. */
  open(): Promise<HeadNotice | undefined> {
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
