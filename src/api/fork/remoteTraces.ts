import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import { RemoteError } from '../../chain/remoteError.ts'
import { unavailable, unsupported } from '../../rpc/errors.ts'
import type { TraceFilter } from '../wire/parity.ts'

interface BlockRange {
  readonly from: number
  readonly to: number
}

/** Asks the remote for the traces of blocks up to the fork block that match a filter; returns a list as JSON. */
export const askForTraces = async (
  fork: ChainFork,
  { fromAddresses, toAddresses, mode, after, count }: TraceFilter,
  { from, to }: BlockRange,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(fromAddresses.length > 0 && { fromAddress: fromAddresses.map(toHex) }),
    ...(toAddresses.length > 0 && { toAddress: toAddresses.map(toHex) }),
    ...(mode !== 'union' && { mode }),
    // What is passed over is counted here, where it may go on with local blocks.
    ...(count !== undefined && { count: after + count }),
  }
  const answer = await ask(fork, filter, signal)
  const isWanted = (trace: unknown): boolean => {
    const { blockNumber } = (trace ?? {}) as { readonly blockNumber?: unknown }
    return typeof blockNumber === 'number' && blockNumber >= from && blockNumber <= to
  }
  if (!Array.isArray(answer) || !answer.every(isWanted))
    throw unavailable(`the remote ${fork.url} answers trace_filter with what was not asked for`)
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
