import { mkdirSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, connect } from '../../../bench/support/load/connection.ts'
import { median } from '../../../bench/support/load/percentile.ts'
import { startNode } from '../../../bench/support/peers/runningNode.ts'
import { bytesWrittenOf, ownMbOf } from '../../../bench/support/run/processTree.ts'
import { prepare } from '../../../bench/support/transactions/workload.ts'
import { sendSteadily } from './load.ts'
import { type Minute, Watch } from './watch.ts'

/**
 * `npm run long -- steadyBlocks`: MINUTES of transfers at LOAD of what the node can take, with a block each second. Nothing
 * may grow: what the last third of the minutes shows is held against the first. What is written for a transaction is told
 * only: it grows up to some pages, while tables that are ordered by hashes and addresses outgrow what one block changes.
 */
const minutes = Number(process.env.MINUTES)
const share = Number(process.env.LOAD)
const senders = 80
/** So long that what is done beside the blocks, such as the collection of memory, is in it. */
const peakSeconds = 60
/** Room for any load, so that the base fee does not end it. */
const gasLimit = 2_000_000_000
/** How much more the last third may be; a third of a few minutes is a small sample. */
const tolerance = 1.3

interface Row extends Minute {
  readonly sent: number
  /** Without the pages of files: those of a chain that grows are as many as the system has room for. */
  readonly ownMb: number
  /** The processor time of the node for each transaction: it tells what grew from what was waited for. */
  readonly cpuMicros: number
  /** What was written of the store's file for each transaction. */
  readonly writtenBytes: number
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const node = await startNode('perihelion', {
  blockTimeMs: 1_000,
  flags: [`--genesis-gas-limit=${gasLimit}`],
})
const rows: Row[] = []
let peak = 0
try {
  const connection = await connect(node.port)
  const workload = await prepare(connection, senders)
  connection.close()

  // As fast as they are taken, until the last one is in a block.
  await sendSteadily(node.port, workload, { rate: undefined, seconds: 5 })
  const startedAt = performance.now()
  const count = await sendSteadily(node.port, workload, { rate: undefined, seconds: peakSeconds })
  const end = await connect(node.port)
  const isPending = async (): Promise<boolean> =>
    Number((await call<{ pending: string }>(end, 'txpool_status')).pending) > 0
  while (await isPending()) await sleep(10)
  end.close()
  peak = count / ((performance.now() - startedAt) / 1000)
  say(`the peak is ${peak.toFixed(0)} transfers a second; ${minutes} minutes at ${share} of it`)

  const watch = new Watch(node.port)
  for (let minute = 1; minute <= minutes; minute++) {
    const [cpuBefore, writtenBefore] = [node.cpuMs(), bytesWrittenOf(node.pid)]
    const sent = await sendSteadily(node.port, workload, {
      rate: peak * share,
      seconds: 60,
      onTaken: (hash, sentAt) => watch.sample(hash, sentAt),
    })
    const row = {
      ...watch.take(),
      sent,
      ownMb: ownMbOf(node.pid),
      cpuMicros: ((node.cpuMs() - cpuBefore) * 1000) / sent,
      writtenBytes: (bytesWrittenOf(node.pid) - writtenBefore) / sent,
    }
    rows.push(row)
    say(
      `minute ${minute}: ${sent} sent, to the receipt p50 ${row.p50Ms.toFixed(0)} ms, p99 ${row.p99Ms.toFixed(0)} ms, ` +
        `blocks ${row.intervalMs.toFixed(0)} ms (longest ${row.longestIntervalMs.toFixed(0)}), ${row.ownMb.toFixed(0)} MB, ` +
        `${row.cpuMicros.toFixed(0)} µs of CPU and ${row.writtenBytes.toFixed(0)} bytes of pages written for each`,
    )
  }
  await watch.end()
} finally {
  await node.stop()
}

mkdirSync('build', { recursive: true })
writeFileSync('build/steadyBlocks.json', `${JSON.stringify({ peak, share, rows }, undefined, 2)}\n`)
const third = Math.max(1, Math.floor(rows.length / 3))
const grown = (['p50Ms', 'p99Ms', 'intervalMs', 'ownMb', 'cpuMicros'] as const).filter((name) => {
  const [first, last] = [rows.slice(0, third), rows.slice(-third)].map((part) =>
    median(part.map((row) => row[name])),
  ) as [number, number]
  process.stdout.write(`${name}: ${first.toFixed(0)} in the first third, ${last.toFixed(0)} in the last\n`)
  return !(last <= first * tolerance)
})
for (const name of grown) process.stdout.write(`${name} has grown\n`)
process.exit(grown.length > 0 ? 1 : 0)
