import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { unavailable, unsupported } from '../../chain/chainError.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import type { TraceQuery, Tracing } from '../../chain/port/traces.ts'
import { RemoteError } from '../../chain/remoteError.ts'

/** Returns traces that ask the remote for those of blocks up to the fork block that match a filter, while the chain is forked. */
export const filterBelowFork = (traces: Tracing, currentFork: () => ChainFork | undefined): Tracing => ({
  ...traces,
  filterElsewhere: (query, from, to, signal) => {
    const fork = currentFork()
    if (fork === undefined || from > fork.number) return undefined
    const last = Math.min(to, fork.number)
    return askForTraces(fork, query, { from, to: last }, signal).then((json) => ({ last, json }))
  },
})

/** Asks the remote for the traces of a range that match; returns a list as JSON. */
const askForTraces = async (
  fork: ChainFork,
  { callers, callees, mode, limit }: TraceQuery,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(callers.length > 0 && { fromAddress: callers.map(toHex) }),
    ...(callees.length > 0 && { toAddress: callees.map(toHex) }),
    ...(mode !== 'union' && { mode }),
    ...(limit !== undefined && { count: limit }),
  }
  const answer = await ask(fork, filter, signal)
  const isWanted = (trace: unknown): boolean => {
    const { blockNumber } = (trace ?? {}) as { readonly blockNumber?: unknown }
    return typeof blockNumber === 'number' && blockNumber >= from && blockNumber <= to
  }
  if (!Array.isArray(answer) || !answer.every(isWanted))
    throw unavailable(`the remote ${fork.url} answers trace_filter with traces that were not requested`)
  return Buffer.from(JSON.stringify(answer))
}

const ask = async (fork: ChainFork, filter: object, signal: AbortSignal): Promise<unknown> => {
  try {
    return await fork.ask('trace_filter', [filter], signal)
  } catch (error) {
    if (error instanceof RemoteError && error.code === -32_004)
      throw unsupported(
        `${error.message}: ask from block ${toQuantity(fork.number + 1)} on, which is traced here`,
      )
    throw error
  }
}
