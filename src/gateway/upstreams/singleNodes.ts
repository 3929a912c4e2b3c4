import type { CallOptions } from '../../comet/client/httpClient.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import { toQueryError } from '../../comet/data/queryErrors.ts'
import type { NodeStatus } from '../../comet/data/replies.ts'
import { maxStatusLag } from './choice/order.ts'
import { toProvingNode } from './upstreamClient.ts'
import type { UpstreamSelector } from './upstreamSelector.ts'

/** One node alone, for what is compared with what others say. */
export interface SingleNode {
  readonly status: NodeStatus
  readonly queries: NativeQueryClient
}

const timeoutMs = 3_000

/** Returns the nodes that can be asked and are where the chain is, in order of preference. */
export const singleNodes = (selector: UpstreamSelector): readonly SingleNode[] => {
  const upstreams = selector.candidates({ weight: 'light', kind: 'any' })
  const newest = Math.max(...upstreams.map(({ status }) => status?.latestHeight ?? 0))
  return upstreams.flatMap((upstream) => {
    const { status } = upstream
    // A node that is further behind than its status may be old may have stopped at an upgrade.
    if (status === undefined || status.latestHeight + maxStatusLag < newest) return []
    const ask = <T>(signal: AbortSignal, work: (options: CallOptions) => Promise<T>): Promise<T> =>
      selector
        .attempt(upstream, () => work({ signal, timeoutMs }), signal)
        .catch((error: unknown) => {
          throw toQueryError(error)
        })
    const queries: NativeQueryClient = {
      query: (path, request, height, signal) =>
        ask(signal, (options) => upstream.query(path, request, height, 'light', options)),
      prove: (store, key, height, signal) =>
        ask(signal, (options) => toProvingNode(upstream, options).prove(store, key, height)),
    }
    return [{ status, queries }]
  })
}
