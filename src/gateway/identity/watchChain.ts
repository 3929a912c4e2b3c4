import { sleep } from '../../base/async/sleep.ts'
import type { Logger } from '../../base/logging/log.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import type { ChainOverrides } from '../../families/detect/chainProbe.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'
import { detectLater } from './detectLater.ts'

interface WatchOptions {
  /** What is served. */
  readonly known: ChainInfo
  readonly overrides: ChainOverrides
  /** Whether `known` is what the home knew, because no node answered at the start. */
  readonly isUnconfirmed: boolean
  readonly pauseMs?: number
}

interface WatchDependencies {
  readonly upstreams: UpstreamClient
  readonly log: Logger
  /** Called with what was detected, each time. */
  readonly onDetected: (chainInfo: ChainInfo) => void
}

export interface ChainWatch {
  /** Why what is served is not what the chain is now; undefined if it is. */
  findChange(): string | undefined
  /** Whether it was not that from the start on: what the home knew was of the chain before a change. */
  hasStartedStale(): boolean
  close(): Promise<void>
}

/**
 * Detects the chain again after a node was away or its connection was lost: a binary is changed by a restart, and an upgrade can bring another
 * family, other packages, another coin and other forks.
 */
export const watchChain = (
  { known, overrides, isUnconfirmed, pauseMs = 2_000 }: WatchOptions,
  { upstreams, log, onDetected }: WatchDependencies,
): ChainWatch => {
  const ending = new AbortController()
  const { signal } = ending
  let change: string | undefined
  let isStale = false
  let isConfirmed = !isUnconfirmed
  const setChange = (found: string | undefined, fields: object): void => {
    if (found !== undefined && found !== change) log.error(fields, found)
    change = found
    // What is served was never what the chain is, if nothing was confirmed before.
    if (!isConfirmed) isStale = change !== undefined
  }
  const onUnknown = (reason: string): void =>
    setChange(`the chain is not known to this version any more: ${reason}`, {})
  const detect = async (): Promise<void> => {
    const found = await detectLater({ known, overrides, pauseMs }, { upstreams, log, onUnknown }, signal)
    if (found === undefined) return
    const { chainInfo, differing } = found
    setChange(
      differing.length === 0
        ? undefined
        : `the chain is not as this gateway knows it (${differing.join(', ')}): start again`,
      { differing },
    )
    isConfirmed = true
    try {
      onDetected(chainInfo)
    } catch (error) {
      log.error({ err: error }, 'what was detected of the chain could not be kept')
    }
  }
  const run = async (): Promise<void> => {
    if (isUnconfirmed) await detect()
    /** The connections by which nodes were known; of a node that is away, none. */
    const readConnections = (): ReadonlyMap<string, number> =>
      new Map(
        upstreams.selector
          .stats()
          .map(({ node, state, connections }) => [node, state === 'ready' ? connections : 0]),
      )
    let before = readConnections()
    while (!signal.aborted) {
      await sleep(pauseMs, signal)
      const now = readConnections()
      // A restart may be too short for calls to fail, but it closes the connection.
      const isBack = [...now].some(([node, connections]) => connections > (before.get(node) ?? 0))
      before = now
      if (isBack) await detect()
    }
  }
  const done = run()
  done.catch((error) => log.error({ err: error }, 'the chain is not watched any more'))
  return {
    findChange: () => change,
    hasStartedStale: () => isStale,
    close: async () => {
      ending.abort()
      await done.catch(() => {})
    },
  }
}
