import { signalOf } from '../../base/async/waiter.ts'
import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { unavailable } from '../../chain/chainError.ts'
import type { ChainFork } from '../../chain/port/fork.ts'
import type { BlockLogs, LogPattern, LogReader } from '../../chain/port/logs.ts'

/** Returns a reader of logs that asks the remote for those of blocks up to the fork block, while the chain is forked. */
export const searchBelowFork = (logs: LogReader, currentFork: () => ChainFork | undefined): LogReader => ({
  search: (...args) => logs.search(...args),
  appearances: (query) => logs.appearances(query),
  bounds: () => {
    const fork = currentFork()
    return fork === undefined ? logs.bounds() : { earliest: 0, firstHere: fork.number + 1 }
  },
  searchAll: (pattern, from, to, waiter) => {
    const fork = currentFork()
    if (fork === undefined || from > Math.min(to, fork.number))
      return logs.searchAll(pattern, from, to, waiter)
    const asked = askForLogs(fork, pattern, { from, to: Math.min(to, fork.number) }, signalOf(waiter))
    return asked.then((below) => concat(below, logs.search(pattern, fork.number + 1, to)))
  },
})

const concat = function* <T>(first: Iterable<T>, second: Iterable<T>): Generator<T> {
  yield* first
  yield* second
}

/** The members of a log that are looked at. */
interface RemoteLog {
  readonly blockNumber: string
  readonly address: string
}

/** Asks the remote for the logs of blocks up to the fork block. */
const askForLogs = async (
  fork: ChainFork,
  { addresses, topics }: LogPattern,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<readonly BlockLogs[]> => {
  const wanted = addresses.map(toHex)
  const filter = {
    fromBlock: toQuantity(from),
    toBlock: toQuantity(to),
    ...(wanted.length > 0 && { address: wanted }),
    ...(topics.length > 0 && { topics: topics.map((list) => (list.length === 0 ? null : list.map(toHex))) }),
  }
  const answer = await fork.ask('eth_getLogs', [filter], signal)
  const isWanted = (log: unknown): log is RemoteLog => {
    const { blockNumber, address } = Object(log) as { blockNumber?: unknown; address?: unknown }
    const number = typeof blockNumber === 'string' ? Number(blockNumber) : Number.NaN
    const isOfContract =
      typeof address === 'string' && (wanted.length === 0 || wanted.includes(address.toLowerCase()))
    return number >= from && number <= to && isOfContract
  }
  if (!Array.isArray(answer) || !answer.every(isWanted))
    throw unavailable(`the remote ${fork.url} answers eth_getLogs with logs that were not requested`)
  return groupByBlock(answer)
}

/** Returns logs by their blocks, in order. The texts of all blocks lie behind each other, with commas between. */
const groupByBlock = (found: readonly RemoteLog[]): readonly BlockLogs[] => {
  const blocks = new Map<number, RemoteLog[]>()
  for (const log of found) {
    const number = Number(log.blockNumber)
    const known = blocks.get(number)
    if (known === undefined) blocks.set(number, [log])
    else known.push(log)
  }
  const sorted = [...blocks].sort(([a], [b]) => a - b)
  const text = Buffer.from(JSON.stringify(sorted.flatMap(([, logs]) => logs)).slice(1, -1))
  let at = 0
  return sorted.map(([number, logs]) => {
    const start = at
    const views = logs.map((log) => {
      const view = text.subarray(at, at + Buffer.byteLength(JSON.stringify(log)))
      at += view.length + 1
      return view
    })
    return { number, count: logs.length, text: text.subarray(start, at - 1), logs: views }
  })
}
