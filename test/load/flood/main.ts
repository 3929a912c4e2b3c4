// Floods the built program and measures cheap reads, memory and blocks meanwhile:
// `npm run long -- flood [name…]` with SECONDS, SEED and, to see it without the protection, CONTROL=1. Where the kernel has a
// group of processes with a limit of memory, CGROUP=<its folder> puts each node in it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolatedFlags, runProgram } from '../../support/program.ts'
import { createPatchedBuild } from '../../support/programs/patchedBuild.ts'
import { createRandom } from '../../support/random.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { deployLargeCode, type Flood, type FloodCounts, floods } from './floods.ts'
import { memoryOf, type ProbeResult, percentile, readMetric, startProbe, watchBlocks } from './measure.ts'

const seconds = Number(process.env.SECONDS ?? 20)
const seed = Number(process.env.SEED ?? 1)
const isControl = process.env.CONTROL === '1'
const controlGroup = process.env.CGROUP
const blockTimeMs = 1000
/** All processes of the node together. */
const memoryLimitMb = 1000
const maxDrainSeconds = 60
/** The defaults of request-memory and filter-memory, with what small messages and one last filter may exceed them by. */
const maxHeldMb = 300
const maxFilterMb = 65

/** The longest that half of the cheap reads may take, by what they take on the same machine without a flood. */
const maxMedianMs = (idleMs: number): number => 10 * idleMs + 50
/** The same for all but a hundredth of them. */
const maxTailMs = (idleMs: number): number => 20 * idleMs + 100

interface Report extends FloodCounts {
  readonly flood: string
  readonly idleP50: string
  readonly idleP99: string
  readonly p50: string
  readonly p99: string
  readonly cheapFailures: number
  readonly peakMb: number
  /** The most that was under way, and the most that filters held. */
  readonly heldMb: number
  readonly filterMb: number
  /** How long it took until everything was given back. */
  readonly drainSeconds: number
  readonly blockMs: number
}

/** Watches what is under way and what filters hold. */
const watchHeld = (http: string): { stop(): Promise<{ heldMb: number; filterMb: number }> } => {
  const most = { heldMb: 0, filterMb: 0 }
  let isOver = false
  const megabytes = async (series: RegExp): Promise<number> =>
    Math.round((await readMetric(http, series).catch(() => 0)) / 1e6)
  const watching = (async () => {
    while (!isOver) {
      most.heldMb = Math.max(most.heldMb, await megabytes(/^perihelion_rpc_memory_bytes\{what="used"\}/))
      most.filterMb = Math.max(most.filterMb, await megabytes(/^perihelion_filter_memory_bytes /))
      await sleep(100)
    }
  })()
  return {
    stop: async () => {
      isOver = true
      await watching
      return most
    },
  }
}

/** Waits until nothing is under way any more, and tells how many seconds that took. */
const drain = async (http: string): Promise<number> => {
  const startedAt = performance.now()
  const seconds = (): number => Math.round((performance.now() - startedAt) / 100) / 10
  while (seconds() < maxDrainSeconds) {
    if ((await readMetric(http, /^perihelion_rpc_memory_bytes\{what="used"\}/)) === 0) return seconds()
    await sleep(100)
  }
  return Number.POSITIVE_INFINITY
}

const text = (milliseconds: number): string => milliseconds.toFixed(1)

const measure = async (name: string, flood: Flood): Promise<Report> => {
  const home = temporaryHome()
  const flags = [`--block-time=${blockTimeMs}ms`, '--json-rpc.api=eth,net,web3,debug', '--log.level=warn']
  const settings = isControl ? flood.unprotected : []
  const patched =
    isControl && flood.patch !== undefined ? createPatchedBuild({ name, ...flood.patch }) : undefined
  const program = runProgram(['start', ...isolatedFlags(home), ...flags, ...settings], {}, patched?.mainFile)
  try {
    const { http = '', ws = '' } = await program.ready()
    if (controlGroup !== undefined)
      writeFileSync(join(controlGroup, 'cgroup.procs'), String(program.child.pid))
    const largeCode = await deployLargeCode(http)
    const whileProbing = async (act: () => Promise<unknown>): Promise<ProbeResult> => {
      const probe = await startProbe(http)
      await act()
      return probe.stop()
    }
    const idle = await whileProbing(() => sleep(Math.min(5, seconds) * 1000))
    const blocks = await watchBlocks(ws)
    const counts: FloodCounts = { answered: 0, refused: 0, other: 0 }
    const { clients } = flood
    const held = watchHeld(http)
    const options = { http, ws, largeCode, clients, random: createRandom(seed), counts }
    const flooded = await whileProbing(() => flood.run(options, AbortSignal.timeout(seconds * 1000)))
    const intervals = blocks.stop()
    const most = await held.stop()
    const peakMb = memoryOf(program.child.pid, 'VmHWM')
    const drainSeconds = await drain(http)
    return {
      flood: name,
      ...counts,
      idleP50: text(percentile(idle.latencies, 0.5)),
      idleP99: text(percentile(idle.latencies, 0.99)),
      p50: text(percentile(flooded.latencies, 0.5)),
      p99: text(percentile(flooded.latencies, 0.99)),
      cheapFailures: flooded.failures,
      peakMb,
      ...most,
      drainSeconds,
      blockMs: Math.round(intervals.reduce((total, interval) => total + interval, 0) / intervals.length),
    }
  } finally {
    program.child.kill('SIGTERM')
    const code = await program.ended()
    if (code !== 0) console.log(`${name}: the node ended with ${code}: ${program.stderr().slice(-2000)}`)
    patched?.remove()
    rmSync(home, { recursive: true, force: true })
  }
}

const chosen = process.argv.slice(2)
const reports: Report[] = []
for (const [name, flood] of Object.entries(floods)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  console.log(
    `${name}: ${flood.clients} clients for ${seconds} s${isControl ? ', without the protection' : ''}`,
  )
  reports.push(await measure(name, flood))
  console.table(reports.slice(-1))
}
console.table(reports)
mkdirSync('build', { recursive: true })
writeFileSync('build/flood.json', `${JSON.stringify({ seconds, seed, isControl, reports }, undefined, 2)}\n`)
const tooMuch = reports.filter(
  ({ peakMb, heldMb, filterMb, cheapFailures, drainSeconds, idleP50, p50, p99 }) =>
    peakMb > memoryLimitMb ||
    heldMb > maxHeldMb ||
    filterMb > maxFilterMb ||
    cheapFailures > 0 ||
    drainSeconds > maxDrainSeconds ||
    Number(p50) > maxMedianMs(Number(idleP50)) ||
    Number(p99) > maxTailMs(Number(idleP50)),
)
if (tooMuch.length > 0) {
  console.log(`too much: ${tooMuch.map(({ flood }) => flood).join(', ')}`)
  process.exitCode = 1
}
