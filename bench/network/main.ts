// npm run bench -- network: transactions per second, latency and CPU of the embedded engine and of 1 and 4 validators under
// CometBFT, on this machine, one after the other. All are sent to one node.
import { parseArgs } from 'node:util'
import { missingEngine } from '../../test/network/homeProcess.ts'
import { connect } from '../support/connection.ts'
import { type Figure, measure } from '../support/transactions/measure.ts'
import { prepare } from '../support/transactions/workload.ts'
import { type CpuByCall, type EngineKind, startEngine } from './engines.ts'
import { type Latency, measureLatency } from './latency.ts'

const { values: options } = parseArgs({
  options: {
    transactions: { type: 'string', default: '8000' },
    senders: { type: 'string', default: '80' },
    batch: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '2' },
    /** The pause after each block, in milliseconds; of the embedded engine its beat. */
    'block-time': { type: 'string', default: '200' },
    /** Transactions each second while latency is measured. */
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    timeout: { type: 'string', default: '120' },
    validators: { type: 'string', default: '1,4' },
  },
})

interface Result {
  readonly name: string
  readonly figure: Figure
  readonly latency: Latency
  readonly cpu: CpuByCall
}

const settleMs = 300

const difference = (after: CpuByCall, before: CpuByCall): CpuByCall =>
  Object.fromEntries(
    Object.entries(after).map(([name, { calls, microseconds }]) => [
      name,
      {
        calls: calls - (before[name]?.calls ?? 0),
        microseconds: microseconds - (before[name]?.microseconds ?? 0),
      },
    ]),
  )

const run = async (kind: EngineKind): Promise<Result> => {
  const engine = await startEngine(kind, Number(options['block-time']))
  try {
    const connection = await connect(engine.port)
    const workload = await prepare(connection, Number(options.senders))
    connection.close()
    const row = {
      kind: 'transfer' as const,
      batch: Number(options.batch),
      transactions: Number(options.transactions),
    }
    const timeoutMs = Number(options.timeout) * 1000
    await measure(engine, workload, { ...row, transactions: 25 * Number(options.senders) }, timeoutMs)
    let best: { readonly figure: Figure; readonly cpu: CpuByCall } | undefined
    for (let round = 0; round < Number(options.rounds); round++) {
      const before = engine.cpuByCall()
      const figure = await measure(engine, workload, row, timeoutMs)
      await new Promise((resolve) => setTimeout(resolve, settleMs))
      const cpu = difference(engine.cpuByCall(), before)
      if (best === undefined || figure.perSecond > best.figure.perSecond) best = { figure, cpu }
    }
    if (best === undefined) throw new Error('--rounds: wanted one or more')
    const latency = await measureLatency(engine.port, workload, {
      rate: Number(options.rate),
      seconds: Number(options.seconds),
    })
    return { name: kind.name, ...best, latency }
  } finally {
    await engine.stop()
  }
}

const table = (rows: readonly (readonly string[])[]): string =>
  [rows[0] ?? [], (rows[0] ?? []).map(() => '---'), ...rows.slice(1)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')

const engineRow = ({ name, figure, latency }: Result): string[] => [
  name,
  figure.perSecond === 0
    ? `${figure.done} of ${figure.transactions} in time`
    : `${figure.perSecond.toFixed(0)} (${figure.refused} refused)`,
  String(figure.blocks),
  figure.cpuMicroseconds === undefined ? '-' : figure.cpuMicroseconds.toFixed(0),
  latency.p50.toFixed(0),
  latency.p99.toFixed(0),
  `${latency.included} of ${latency.sent}`,
]

const cpuTable = (results: readonly Result[]): string => {
  const networks = results.filter(({ cpu }) => Object.keys(cpu).length > 0)
  const calls = [...new Set(networks.flatMap(({ cpu }) => Object.keys(cpu)))]
  const cell = ({ cpu }: Result, call: string): string => {
    const sum = Object.values(cpu).reduce((total, { microseconds }) => total + microseconds, 0)
    const own = cpu[call]
    if (own === undefined) return '-'
    const share = ((100 * own.microseconds) / Math.max(1, sum)).toFixed(0)
    return `${(own.microseconds / 1000).toFixed(0)} ms, ${share} %${call === 'none' ? '' : ` (${own.calls} calls)`}`
  }
  return table([
    ['CPU of the first node by open ABCI call', ...networks.map(({ name }) => name)],
    ...calls.map((call) => [call, ...networks.map((result) => cell(result, call))]),
  ])
}

const missing = await missingEngine()
const kinds: readonly EngineKind[] = [
  { name: 'embedded', validators: undefined },
  ...(missing === undefined ? options.validators.split(',') : []).map((count) => ({
    name: `${count} validator${count === '1' ? '' : 's'}`,
    validators: Number(count),
  })),
]
if (missing !== undefined) console.log(`the networks are left out: ${missing}`)
const results: Result[] = []
for (const kind of kinds) results.push(await run(kind))
console.log(
  `\n${options.transactions} transfers of ${options.senders} senders in batches of ${options.batch} to one node, best of ` +
    `${options.rounds} rounds; latency at ${options.rate} tx/s for ${options.seconds} s; ${options['block-time']} ms ` +
    'between blocks. CPU is of the node without CometBFT.\n',
)
console.log(
  table([
    ['engine', 'tx/s', 'blocks', 'CPU µs/tx', 'p50 ms', 'p99 ms', 'included'],
    ...results.map(engineRow),
  ]),
)
if (results.length > 1) console.log(`\n${cpuTable(results)}`)
