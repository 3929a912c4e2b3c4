import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type StageName, type StageRecord, stageNames } from '../../../src/base/profiling/stages.ts'
import { connect } from '../../support/load/connection.ts'
import { startNode } from '../../support/peers/runningNode.ts'
import { type Burst, measure } from '../../support/transactions/measure.ts'
import { prepare } from '../../support/transactions/workload.ts'

const timeoutMs = 120_000
/** Longer than the pause between two files of the listener. */
const settleMs = 400

/** What one thread told. */
interface ThreadTotals {
  readonly cpuMs: number
  readonly totals: readonly (StageRecord & { readonly times: number })[]
}

type ThreadName = 'main' | 'application' | 'recovery'

export interface StageRow {
  readonly thread: ThreadName
  readonly stage: StageName
  readonly kind: StageRecord['kind']
  /** For each transaction of the burst. */
  readonly microseconds: number
  readonly times: number
}

export interface StageFigures {
  readonly perSecond: number
  readonly blocks: number
  readonly transactions: number
  readonly rows: readonly StageRow[]
  /** The CPU time of each thread for a transaction, in microseconds, and that of the whole process. */
  readonly cpu: ReadonlyMap<ThreadName | 'process', number>
}

/** Adds up threads of one name: all that recover have the same stages. */
const addThreads = (one: ThreadTotals | undefined, other: ThreadTotals): ThreadTotals => {
  if (one === undefined) return other
  const totals = other.totals.map((total) => {
    const same = one.totals.find(({ stage, kind }) => stage === total.stage && kind === total.kind)
    const { milliseconds = 0, times = 0 } = same ?? {}
    return { ...total, milliseconds: total.milliseconds + milliseconds, times: total.times + times }
  })
  return { cpuMs: one.cpuMs + other.cpuMs, totals }
}

const readTotals = (folder: string): Map<ThreadName, ThreadTotals> => {
  const found = new Map<ThreadName, ThreadTotals>()
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const thread = JSON.parse(readFileSync(join(folder, name), 'utf8')) as ThreadTotals
    const isApplication = thread.totals.some(({ stage }) => stage === 'execute')
    const threadName = name === '0.json' ? 'main' : isApplication ? 'application' : 'recovery'
    found.set(threadName, addThreads(found.get(threadName), thread))
  }
  return found
}

const rowsBetween = (
  before: Map<ThreadName, ThreadTotals>,
  after: Map<ThreadName, ThreadTotals>,
  transactions: number,
): StageRow[] =>
  [...after]
    .flatMap(([thread, { totals }]) =>
      totals.map(({ stage, kind, milliseconds, times }): StageRow => {
        const old = before.get(thread)?.totals.find((one) => one.stage === stage && one.kind === kind)
        const microseconds = ((milliseconds - (old?.milliseconds ?? 0)) * 1000) / transactions
        return { thread, stage, kind, microseconds, times: times - (old?.times ?? 0) }
      }),
    )
    .filter(({ times }) => times > 0)
    .sort((a, b) => stageNames.indexOf(a.stage) - stageNames.indexOf(b.stage))

/** Sends bursts to a node whose threads tell what their stages take. */
export const measureStages = async (
  bursts: readonly Burst[],
  blockTimeMs: number | undefined,
  onBurst: (burst: Burst, figures: StageFigures) => void,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-stages-'))
  const listener = new URL('listener.mjs', import.meta.url)
  listener.searchParams.set('folder', folder)
  const node = await startNode('perihelion', { blockTimeMs, nodeArgs: ['--import', listener.href] })
  try {
    const connection = await connect(node.port)
    const workload = await prepare(connection, Math.max(...bursts.map(({ senders }) => senders)))
    connection.close()
    for (const burst of bursts) {
      // What was compiled for the burst before is not that of this one.
      await measure(node, workload, burst, timeoutMs)
      await sleep(settleMs)
      const before = readTotals(folder)
      const { transactions, cpuMicros, perSecond, blocks } = await measure(node, workload, burst, timeoutMs)
      await sleep(settleMs)
      const after = readTotals(folder)
      const cpu = new Map<ThreadName | 'process', number>([['process', cpuMicros]])
      for (const [thread, { cpuMs }] of after)
        cpu.set(thread, ((cpuMs - (before.get(thread)?.cpuMs ?? 0)) * 1000) / transactions)
      onBurst(burst, {
        ...{ perSecond, blocks, transactions, cpu },
        rows: rowsBetween(before, after, transactions),
      })
    }
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
