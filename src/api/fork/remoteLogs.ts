import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import type { LogPattern } from '../../chain/port/logs.ts'
import { unavailable } from '../../rpc/errors.ts'

/** The logs of the remote in a range up to the fork block. */
export interface RemoteLogs {
  /** The JSON of the logs, joined by commas; undefined if there is none. */
  readonly text: Uint8Array | undefined
  readonly count: number
}

/** Asks the remote for the logs of blocks up to the fork block. */
export const askForLogs = async (
  fork: ChainFork,
  { addresses, topics }: LogPattern,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<RemoteLogs> => {
  const wanted = addresses.map(toHex)
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(wanted.length > 0 && { address: wanted }),
    ...(topics.length > 0 && { topics: topics.map((list) => (list.length === 0 ? null : list.map(toHex))) }),
  }
  const answer = await fork.ask('eth_getLogs', [filter], signal)
  const isWanted = (log: unknown): boolean => {
    if (typeof log !== 'object' || log === null) return false
    const { blockNumber, address } = log as { blockNumber?: unknown; address?: unknown }
    const number = typeof blockNumber === 'string' ? Number(blockNumber) : Number.NaN
    const isOfContract =
      typeof address === 'string' && (wanted.length === 0 || wanted.includes(address.toLowerCase()))
    return number >= from && number <= to && isOfContract
  }
  if (!Array.isArray(answer) || !answer.every(isWanted))
    throw unavailable(`the remote ${fork.url} answers eth_getLogs with what was not asked for`)
  if (answer.length === 0) return { text: undefined, count: 0 }
  return { text: Buffer.from(JSON.stringify(answer).slice(1, -1)), count: answer.length }
}
