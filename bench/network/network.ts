import { setTimeout as sleep } from 'node:timers/promises'
import { missingEngine } from '../../test/network/homeProcess.ts'
import { connect } from '../support/load/connection.ts'
import type { Measured, RunOptions, Side } from '../support/run/part.ts'
import { definePart, type RunnablePart } from '../support/run/runPart.ts'
import { measure, toMeasured } from '../support/transactions/measure.ts'
import { prepare, type Workload } from '../support/transactions/workload.ts'
import { type CpuByCall, type RunningEngine, startEngine, startPeer } from './engines.ts'
import { measureLatency } from './latency.ts'

interface NetworkStage {
  readonly engine: RunningEngine
  readonly workload: Workload
}

/** The pause after each block; of the embedded engine its beat. */
const blockTimeMs = 200
const senders = 80
const timeoutMs = 120_000
const settleMs = 300

/** The CPU of the first node by the call of the engine that was open meanwhile. */
const cpuText = (before: CpuByCall, after: CpuByCall): string => {
  const spent = Object.entries(after).map(
    ([name, { microseconds }]) => [name, microseconds - (before[name]?.microseconds ?? 0)] as const,
  )
  const sum = spent.reduce((total, [, micros]) => total + micros, 0)
  return spent
    .map(([name, micros]) => `${name} ${Math.round((100 * micros) / Math.max(1, sum))} %`)
    .join(', ')
}

const measureBurst = async ({ engine, workload }: NetworkStage, transactions: number): Promise<Measured> => {
  const before = engine.cpuByCall()
  const burst = { kind: 'transfer', batch: 50, senders, transactions } as const
  const measured = toMeasured(await measure(engine, workload, burst, timeoutMs))
  await sleep(settleMs)
  const cpu = cpuText(before, engine.cpuByCall())
  return {
    ...measured,
    figures: { ...measured.figures, rssMb: engine.rssMb() },
    note: [measured.note, ...(cpu === '' ? [] : [`CPU by call: ${cpu}`])].join('; '),
  }
}

const rows = ({ isQuick }: RunOptions) => [
  {
    name: 'transfers in batches of 50, 80 senders',
    unit: 'transaction',
    by: 'rate' as const,
    measure: (stage: NetworkStage) => measureBurst(stage, isQuick ? 400 : 8_000),
  },
  {
    name: 'from sending to the receipt, 50 a second',
    unit: 'transaction',
    by: 'p50Ms' as const,
    measure: async ({ engine, workload }: NetworkStage): Promise<Measured> => {
      const load = { rate: isQuick ? 20 : 50, seconds: isQuick ? 2 : 20 }
      const { p50, p99, sent, included } = await measureLatency(engine.port, workload, load)
      return { figures: { p50Ms: p50, p99Ms: p99 }, note: `${included} of ${sent} included` }
    },
  },
]

/** Starts a node or a network, gives its senders coins and lets it make its first blocks. */
const open = async (start: () => Promise<RunningEngine>) => {
  const engine = await start()
  const connection = await connect(engine.port)
  const workload = await prepare(connection, senders)
  connection.close()
  const warmUp = { kind: 'transfer', batch: 50, senders, transactions: 5 * senders } as const
  await measure(engine, workload, warmUp, timeoutMs)
  return { stage: { engine, workload }, close: () => engine.stop() }
}

/** All transactions go to one node. A network that is idle takes CPU too, so each is a part of its own. */
export const defineNetwork = (validators: number | undefined): RunnablePart =>
  definePart<NetworkStage>({
    sides: async ({ isQuick, peers }) => {
      // Four validators take a minute to come up on a busy machine.
      if (isQuick && validators !== undefined && validators > 1) return []
      const missing = validators === undefined ? undefined : await missingEngine(console.error)
      if (missing !== undefined) {
        process.stderr.write(`the network is left out: ${missing}\n`)
        return []
      }
      const ours: Side<NetworkStage> = {
        name: 'perihelion',
        kind: 'ours',
        open: () => open(() => startEngine(validators, blockTimeMs)),
      }
      const evmd: Side<NetworkStage> = {
        name: 'evmd',
        kind: 'peer',
        open: () => open(() => startPeer(blockTimeMs)),
      }
      return validators === 1 && peers.includes('evmd') ? [ours, evmd] : [ours]
    },
    rows,
  })
