import { Worker } from 'node:worker_threads'
import type { Logger } from '../../base/log.ts'
import { callThread } from '../../base/threadCalls.ts'
import type { SyncProgress } from '../../chain/port.ts'
import type { HeadNotice } from './blockWriter.ts'
import type { FollowerOptions, FollowStats } from './followService.ts'
import { ProgressReport } from './progressReport.ts'
import { type LogRecord, writeRecord } from './threadLog.ts'

// Node 20 loads no TypeScript in workers: from `src` too the built file is started. Both are one folder below the root.
const workerFile = new URL('../../../dist/gateway/follow/followWorker.js', import.meta.url)

/** What the thread says without being asked. */
export type FollowNotice =
  | { readonly kind: 'head'; readonly head: HeadNotice }
  | { readonly kind: 'target'; readonly height: number }
  | { readonly kind: 'quarantine'; readonly node: string; readonly reason: string }
  | { readonly kind: 'failure'; readonly message: string }
  | ({ readonly kind: 'log' } & LogRecord)

/** What `followWorker.ts` serves. */
type FollowThreadService = {
  open: () => HeadNotice | undefined
  stats: () => FollowStats
  close: () => void
}

export interface FollowerEvents {
  /** A node lies, as the blocks show: others who use it should know. */
  readonly onQuarantine?: (node: string, reason: string) => void
  /** The thread cannot go on: a broken disk, a store of another chain. What is in the store stays readable. */
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

/** Begins to follow; resolves when there is a block to serve. */
export const startFollower = async (
  options: FollowerOptions,
  log: Logger,
  events: FollowerEvents = {},
): Promise<Follower> => {
  const worker = new Worker(workerFile, { name: 'follow', workerData: options })
  const calls = callThread<FollowThreadService>(worker)
  const listeners = new Set<(head: HeadNotice) => void>()
  const report = new ProgressReport(log)
  let head: HeadNotice | undefined
  let target = 0
  let starting: number | undefined
  let isClosing = false
  let begin: () => void = () => undefined
  let giveUp: (error: Error) => void = () => undefined
  const began = new Promise<void>((resolve, reject) => {
    begin = resolve
    giveUp = reject
  })
  began.catch(() => undefined) // awaited below, unless the store could not be opened
  const fail = (error: Error): void => {
    if (isClosing) return
    giveUp(error)
    log.error({ reason: error.message }, 'the chain is not followed any more')
    events.onFailure?.(error)
  }
  const onHead = (next: HeadNotice): void => {
    head = next
    starting ??= next.number
    report.step(next.number, target)
    begin()
    for (const listener of listeners) listener(next)
  }
  worker.on('message', (notice: FollowNotice | { readonly kind?: undefined }) => {
    if (notice.kind === 'head') onHead(notice.head)
    else if (notice.kind === 'target') target = Math.max(target, notice.height)
    else if (notice.kind === 'quarantine') events.onQuarantine?.(notice.node, notice.reason)
    else if (notice.kind === 'failure') fail(new Error(notice.message))
    else if (notice.kind === 'log') writeRecord(log, notice)
  })
  worker.on('error', fail)
  worker.on('exit', (code) => fail(new Error(`the thread ended with code ${code}`)))
  const close = async (): Promise<void> => {
    isClosing = true
    report.stop()
    await calls.close().catch(() => undefined) // a thread that has ended is closed
    await worker.terminate()
  }
  try {
    const found = await calls.open()
    if (found && !head) onHead(found)
    await began
  } catch (error) {
    await close()
    throw error
  }
  return {
    head: () => head as HeadNotice, // there was one when this began
    onHead: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    progress: () => {
      const current = head?.number ?? 0
      return target > current + 1
        ? { startingBlock: starting ?? 0, currentBlock: current, highestBlock: target }
        : undefined
    },
    stats: () => calls.stats(),
    close,
  }
}
