import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, call, connect } from '../support/load/connection.ts'
import { percentile } from '../support/load/percentile.ts'
import { signAll, type Workload } from '../support/transactions/workload.ts'

export interface LatencyOptions {
  /** Transactions sent each second. */
  readonly rate: number
  readonly seconds: number
}

export interface Latency {
  readonly sent: number
  readonly included: number
  /** Milliseconds from sending to the block with the receipt being served. */
  readonly p50: number
  readonly p99: number
}

const pollMs = 5
const inclusionTimeoutMs = 60_000

/** Sends at a steady rate, whatever comes back, and looks for each transaction in the blocks that follow. */
export const measureLatency = async (
  port: number,
  workload: Workload,
  { rate, seconds }: LatencyOptions,
): Promise<Latency> => {
  const count = rate * seconds
  const [sending, reading] = [await connect(port), await connect(port)]
  const senders = workload.senders.length
  const signed = await signAll(sending, workload, {
    kind: 'transfer',
    count: Math.ceil(count / senders),
    senders,
  })
  const senderIndexes = Array.from({ length: count }, (_, index) => {
    const sender = signed[index % signed.length]
    const at = Math.floor(index / signed.length)
    return { raw: sender?.raws[at] ?? '', hash: sender?.hashes[at] ?? '' }
  })
  const sentAt = new Map<string, number>()
  const waits: number[] = []
  const reader = readBlocks(reading, sentAt, waits, count)
  const startedAt = performance.now()
  for (const [index, { raw, hash }] of senderIndexes.entries()) {
    await sleep(Math.max(0, startedAt + (index * 1000) / rate - performance.now()))
    sentAt.set(hash, performance.now())
    await call(sending, 'eth_sendRawTransaction', raw)
  }
  await reader
  for (const connection of [sending, reading]) connection.close()
  waits.sort((a, b) => a - b)
  return { sent: count, included: waits.length, p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }
}

/** Returns the hashes of a block; undefined while it is not served, because evmd has an error while its index catches up. */
const readTransactions = async (
  connection: Connection,
  height: number,
): Promise<readonly string[] | undefined> => {
  const number = `0x${height.toString(16)}`
  try {
    return (
      await call<{ transactions: readonly string[] }>(connection, 'eth_getBlockByNumber', number, false)
    ).transactions
  } catch {
    return undefined
  }
}

const readBlocks = async (
  connection: Connection,
  sentAt: ReadonlyMap<string, number>,
  waits: number[],
  count: number,
): Promise<void> => {
  let height = Number(await call<string>(connection, 'eth_blockNumber'))
  const until = performance.now() + inclusionTimeoutMs + (count * 1000) / 10
  while (waits.length < count && performance.now() < until) {
    const head = Number(await call<string>(connection, 'eth_blockNumber'))
    if (head === height) await sleep(pollMs)
    while (height < head && performance.now() < until) {
      const transactions = await readTransactions(connection, height + 1)
      if (transactions === undefined) {
        await sleep(pollMs)
        continue
      }
      height++
      const now = performance.now()
      for (const hash of transactions) {
        const at = sentAt.get(hash)
        if (at !== undefined) waits.push(now - at)
      }
    }
  }
}
