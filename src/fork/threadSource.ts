import { parentPort } from 'node:worker_threads'
import { BlockingCallError, callBlocking } from '../base/threads/blockingCall.ts'
import { fromChainErrorMembers } from '../chain/chainError.ts'
import type { ForkKey, ForkSource } from '../chain/state/forkSource.ts'
import { CachedForkSource } from './cachedForkSource.ts'
import { ForkCache } from './forkCache.ts'

/** The call with which a worker asks for values. */
export const loadCall = 'fork.load'

/** What a worker asks for, and in which file it looks for it: a reset may have begun another one meanwhile. */
export interface LoadRequest {
  readonly cachePath: string
  readonly keys: readonly ForkKey[]
}

/** What a worker needs to read the state of the fork block. */
export interface ThreadForkOptions {
  readonly cachePath: string
  readonly number: number
}

/** The source of a worker, which waits until the main thread has fetched what is missing. */
export interface ThreadFork {
  readonly source: ForkSource
  /** How long this thread has waited so far, in milliseconds. */
  waitedMs(): number
  close(): Promise<void>
}

/** Opens the fork on a worker. The file exists already. */
export const openThreadFork = ({ cachePath, number }: ThreadForkOptions): ThreadFork => {
  const cache = ForkCache.openReader(cachePath)
  let waited = 0
  const resolve = (keys: readonly ForkKey[]): void => {
    // Another thread may have fetched them since.
    cache.refresh()
    const missing = keys.filter((key) => !cache.has(key))
    if (missing.length === 0) return
    if (parentPort === null) throw new Error('only a worker may wait for the remote')
    const start = performance.now()
    try {
      callBlocking(parentPort, loadCall, { cachePath, keys: missing } satisfies LoadRequest)
    } catch (error) {
      throw error instanceof BlockingCallError && error.thrownName === 'ChainError'
        ? fromChainErrorMembers(error.message, error.details)
        : error
    } finally {
      waited += performance.now() - start
      cache.refresh()
    }
  }
  return {
    source: new CachedForkSource(number, cache, resolve),
    waitedMs: () => waited,
    close: () => cache.close(),
  }
}
