import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { waitForReceipt } from '../support/chain/receipts.ts'
import { call, connect } from '../support/load/connection.ts'
import { percentile } from '../support/load/percentile.ts'
import { type RunningNode, startNode } from '../support/peers/runningNode.ts'
import type { Measured, Row, RunOptions, Side } from '../support/run/part.ts'
import { type Burst, measure, toMeasured } from '../support/transactions/measure.ts'
import { kinds, prepare, signAll, type Workload } from '../support/transactions/workload.ts'

/** A node with senders that have coins and tokens. */
export interface ThroughputStage {
  readonly node: RunningNode
  readonly workload: Workload
  /** How many of a row's transactions it gets. */
  readonly share: number
}

const senderCounts = [20, 80] as const
const batchSizes = [1, 100] as const
const timeoutMs = 120_000

export interface SideOptions {
  readonly name: string
  readonly program: string
  readonly blockTimeMs?: number
  readonly share?: number
}

export const createSide = (options: SideOptions): Side<ThroughputStage> => ({
  name: options.name,
  kind: options.program === 'perihelion' ? 'ours' : 'peer',
  open: async () => {
    const node = await startNode(options.program, { blockTimeMs: options.blockTimeMs })
    const connection = await connect(node.port)
    try {
      const workload = await prepare(connection, Math.max(...senderCounts))
      const stage = { node, workload, share: options.share ?? 1 }
      for (const kind of kinds)
        await measure(node, workload, { kind, senders: 20, batch: 1, transactions: 200 }, timeoutMs)
      return { stage, version: node.version, close: node.stop }
    } catch (error) {
      await node.stop()
      throw error
    } finally {
      connection.close()
    }
  },
})

const runBurst = async ({ node, workload, share }: ThroughputStage, burst: Burst): Promise<Measured> => {
  const transactions = Math.max(burst.senders, Math.ceil(burst.transactions * share))
  const measured = toMeasured(await measure(node, workload, { ...burst, transactions }, timeoutMs))
  return { ...measured, figures: { ...measured.figures, rssMb: node.rssMb() } }
}

/** Transactions by all senders until the last receipts are served. */
export const burstRows = ({ isQuick }: RunOptions): Row<ThroughputStage>[] =>
  kinds.flatMap((kind) =>
    batchSizes.flatMap((batch) =>
      senderCounts.slice(0, isQuick ? 1 : undefined).map((senders): Row<ThroughputStage> => {
        const transactions = isQuick ? 400 : 4_000
        const how = batch === 1 ? 'one by one' : `batches of ${batch}`
        return {
          name: `${kind}, ${how}, ${senders} senders`,
          unit: 'transaction',
          by: 'rate',
          measure: (stage) => runBurst(stage, { kind, batch, senders, transactions }),
        }
      }),
    ),
  )

/** One sender, who waits for the receipt of each before the next. */
const measureAlone = async ({ node, workload }: ThroughputStage, count: number): Promise<Measured> => {
  const connection = await connect(node.port)
  try {
    const [signed] = await signAll(connection, workload, { kind: 'transfer', count, senders: 1 })
    const cpuBefore = node.cpuMs()
    const times: number[] = []
    for (const [index, raw] of (signed?.raws ?? []).entries()) {
      const start = performance.now()
      await call(connection, 'eth_sendRawTransaction', raw)
      await waitForReceipt(connection, signed?.hashes[index] ?? '')
      times.push(performance.now() - start)
    }
    const cpuMicros = ((node.cpuMs() - cpuBefore) * 1000) / count
    times.sort((a, b) => a - b)
    return { figures: { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), cpuMicros } }
  } finally {
    connection.close()
  }
}

export const aloneRow = ({ isQuick }: RunOptions): Row<ThroughputStage> => ({
  name: 'one sender, each after the receipt of the last',
  unit: 'transaction',
  by: 'p50Ms',
  measure: (stage) => measureAlone(stage, isQuick ? 50 : 500),
})

/** What is allocated: files of LMDB have holes. */
const diskBytes = (folder: string): number =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).reduce(
    (sum, name) => sum + statSync(join(folder, name)).blocks * 512,
    0,
  )

export const diskRow = ({ isQuick }: RunOptions): Row<ThroughputStage> => ({
  name: 'disk of a transfer',
  unit: 'transaction',
  by: 'bytes',
  isOn: ({ name }) => name === 'perihelion' || name === 'geth',
  measure: async ({ node, workload }) => {
    const transactions = isQuick ? 400 : 8_000
    const before = diskBytes(node.folder)
    await measure(node, workload, { kind: 'transfer', batch: 100, senders: 80, transactions }, timeoutMs)
    return { figures: { bytes: (diskBytes(node.folder) - before) / transactions } }
  },
})
