import type { Worker } from 'node:worker_threads'
import { startWorker } from '../../base/threads/builtFiles.ts'
import { createThreadClient, ThreadError } from '../../base/threads/threadRpc.ts'
import type { Lie } from '../trust/lieLog.ts'
import type { HeadUpdate } from './blockWriter.ts'
import type { UntakenBlock } from './followOptions.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import type { LogRecord } from './threadLog.ts'

/** The messages that the thread sends without being called. */
export type FollowMessage =
  | { readonly kind: 'head'; readonly head: HeadUpdate }
  | { readonly kind: 'target'; readonly height: number }
  | {
      readonly kind: 'quarantine'
      readonly node: string
      readonly reason: string
      readonly isLie: boolean
    }
  | { readonly kind: 'untaken'; readonly untaken: UntakenBlock | undefined }
  | { readonly kind: 'undecoded'; readonly count: number }
  | { readonly kind: 'lie'; readonly lie: Lie }
  | { readonly kind: 'failure'; readonly name: string; readonly message: string }
  | ({ readonly kind: 'log' } & LogRecord)

/** The methods that `followWorker.ts` serves. */
type FollowThreadService = {
  open: () => HeadUpdate | undefined
  stats: () => FollowStats
  close: () => void
}

/** The follower's thread, seen from the main thread. */
export class FollowThread {
  readonly #worker: Worker
  readonly #calls: ReturnType<typeof createThreadClient<FollowThreadService>>
  #hasEnded = false

  /** `onEnd` is called once, if the thread cannot continue, but not after `close`. */
  constructor(
    options: FollowerOptions,
    onMessage: (message: Exclude<FollowMessage, { kind: 'failure' }>) => void,
    onEnd: (error: Error) => void,
  ) {
    // Most parsed objects are short-lived: with a larger young generation fewer of them are copied.
    const resourceLimits = { maxYoungGenerationSizeMb: 64 }
    this.#worker = startWorker('follow', { name: 'follow', workerData: options, resourceLimits })
    this.#calls = createThreadClient<FollowThreadService>(this.#worker)
    const end = (error: Error): void => {
      if (this.#hasEnded) return
      this.#hasEnded = true
      onEnd(error)
    }
    // Responses to calls have no kind.
    this.#worker.on('message', (message: FollowMessage | { readonly kind?: undefined }) => {
      if (message.kind === undefined || this.#hasEnded) return
      if (message.kind === 'failure') end(new ThreadError({ name: message.name, message: message.message }))
      else onMessage(message)
    })
    this.#worker.on('error', end)
    this.#worker.on('exit', (code) => end(new Error(`the thread ended with code ${code}`)))
  }

  /** Returns the head of the store; rejects with the reason if it cannot be opened. */
  open(): Promise<HeadUpdate | undefined> {
    return this.#calls.open()
  }

  stats(): Promise<FollowStats> {
    return this.#calls.stats()
  }

  async close(): Promise<void> {
    this.#hasEnded = true
    await this.#calls.close().catch(() => undefined) // a thread that has ended is closed already
    await this.#worker.terminate()
  }
}
