import { readdirSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { createRandom } from '../../support/random.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { memoryOf, readMetric } from '../flood/measure.ts'
import { type ActionOptions, actOnce, startWorkers } from './actions.ts'

export interface SoakOptions {
  readonly seed: number
  /** How long the load goes on, after a warm-up of a tenth of it; longer on a machine that does too little in it. */
  readonly seconds: number
  readonly minActions?: number
  /** The part of what the node can do that it is asked to do. */
  readonly load: number
  /** How long everything may take to be given back. */
  readonly returnSeconds: number
  /** Whether clients leave behind what nothing ends; the control. */
  readonly isLeaking?: boolean
  readonly onProgress?: (text: string) => void
}

/** What a node holds while nobody asks for anything. */
export interface Holdings {
  readonly descriptors: number
  /** Calls that run or wait. */
  readonly permits: number
  readonly requestBytes: number
  readonly filterBytes: number
  readonly subscriptions: number
  readonly connections: number
  /** The slots of readers of the data file that the node has. */
  readonly readers: number
}

export interface SoakReport {
  readonly seed: number
  readonly seconds: number
  /** What the node did in a second when it was asked as much as it could do, and what it was asked then. */
  readonly capacity: number
  readonly rate: number
  readonly actions: number
  readonly failures: readonly string[]
  readonly before: Holdings
  readonly after: Holdings
  /** Megabytes that are not of files: the mean of the first third and of the last, and by hour. */
  readonly memory: { readonly first: number; readonly last: number; readonly perHour: number }
  readonly problems: readonly string[]
}

const lanes = 16
const maxInFlight = 256
const sampleMs = 1000
/** What memory may grow by from the first third to the last; caches and the young heap fill meanwhile. */
const allowedGrowthMb = 64
const maxFailures = 20

/** Runs a node under a steady load of clients that come and go, and looks what is left of them. */
export const runSoak = async (options: SoakOptions): Promise<SoakReport> => {
  const home = temporaryHome()
  const filterTimeout = options.isLeaking ? '24h' : '3s'
  const flags = ['--block-time=500ms', `--json-rpc.filter-timeout=${filterTimeout}`, '--log.level=error']
  const program = runProgram(['start', ...isolatedFlags(home), ...flags])
  let agent = createAgent()
  try {
    const { http = '', ws = '' } = await program.ready()
    const accounts = await createRpcClient(http).call<readonly string[]>('eth_accounts')
    const random = createRandom(options.seed)
    const leaked = options.isLeaking ? [] : undefined
    const failures: string[] = []
    const actionOptions = (): ActionOptions => ({ http, ws, agent, accounts, random, leaked })
    const act = async (): Promise<void> => {
      await actOnce(actionOptions()).catch((error: Error) => {
        if (failures.length < maxFailures) failures.push(error.message)
      })
    }
    const warmUpSeconds = Math.max(2, options.seconds / 10)
    options.onProgress?.(`warming up for ${warmUpSeconds} s`)
    const capacity = (await runFreely(act, warmUpSeconds)) / warmUpSeconds
    await startWorkers(actionOptions())
    agent.destroy()
    agent = createAgent()
    const before = await untilReturned(http, home, program, undefined, options.returnSeconds)
    const rate = Math.max(1, capacity * options.load)
    const { actions, samples } = await runSteadily(act, rate, options, program)
    agent.destroy()
    const after = await untilReturned(http, home, program, before, options.returnSeconds)
    const memory = describeMemory(samples)
    for (const socket of leaked ?? []) (socket as { terminate(): void }).terminate()
    const problems = [
      ...failures.map((failure) => `failed: ${failure}`),
      ...findUnreturned(before, after),
      ...(memory.last - memory.first > allowedGrowthMb
        ? [`memory grew from ${memory.first} to ${memory.last} MB`]
        : []),
      ...(program.child.exitCode === null ? [] : [`the node ended with ${program.child.exitCode}`]),
    ]
    const { seed, seconds } = options
    return {
      seed,
      seconds,
      capacity: Math.round(capacity),
      rate: Math.round(rate),
      actions,
      failures,
      before,
      after,
      memory,
      problems,
    }
  } finally {
    agent.destroy()
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  }
}

const createAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: maxInFlight })

/** Does one thing after the other in every lane; returns how many there were. */
const runFreely = async (act: () => Promise<void>, seconds: number): Promise<number> => {
  const end = performance.now() + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (; performance.now() < end; done++) await act()
    }),
  )
  return done
}

/** Does so many things a second, whether those before have ended or not, and measures memory meanwhile. */
const runSteadily = async (
  act: () => Promise<void>,
  rate: number,
  { seconds, minActions = 0, onProgress }: SoakOptions,
  program: Program,
): Promise<{ readonly actions: number; readonly samples: readonly number[] }> => {
  const startedAt = performance.now()
  const samples: number[] = []
  const underWay = new Set<Promise<void>>()
  let actions = 0
  let due = 0
  const elapsed = (): number => (performance.now() - startedAt) / 1000
  while ((elapsed() < seconds || actions < minActions) && program.child.exitCode === null) {
    for (; due < elapsed() * rate; due++) {
      if (underWay.size >= maxInFlight) continue
      actions++
      const acting: Promise<void> = act().finally(() => underWay.delete(acting))
      underWay.add(acting)
    }
    if (elapsed() * 1000 >= (samples.length + 1) * sampleMs) {
      samples.push(memoryOf(program.child.pid, 'RssAnon'))
      if (samples.length % 10 === 0)
        onProgress?.(`${Math.round(elapsed())} of ${seconds} s, ${actions} actions, ${samples.at(-1)} MB`)
    }
    await sleep(10)
  }
  await Promise.all(underWay)
  return { actions, samples }
}

/** Measures all but the readers, for which a program has to be started. */
const measure = async (http: string, { child: { pid } }: Program): Promise<Omit<Holdings, 'readers'>> => ({
  permits: await readMetric(http, /^perihelion_rpc_class_calls\{/),
  requestBytes: await readMetric(http, /^perihelion_rpc_memory_bytes\{what="used"\}/),
  filterBytes: await readMetric(http, /^perihelion_filter_memory_bytes /),
  subscriptions: await readMetric(http, /^perihelion_subscriptions\{/),
  connections: await readMetric(http, /^perihelion_rpc_connections\{/),
  descriptors: readdirSync(`/proc/${pid}/fd`).length,
})

/** Returns the number of read transactions that a process has in the table of readers. */
const countReaders = async (home: string, pid: number | undefined): Promise<number> => {
  const stats = runProgram(['db', 'stats', '--home', home])
  await stats.ended()
  return stats.stdout().match(new RegExp(`^process ${pid}\\s`, 'gm'))?.length ?? 0
}

/** Measures until nothing is held that was not held before; without `before`, until nothing of clients is. */
const untilReturned = async (
  http: string,
  home: string,
  program: Program,
  before: Holdings | undefined,
  seconds: number,
): Promise<Holdings> => {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const held = await measure(http, program)
    const wanted = before ?? { ...held, ...nothingOfClients, readers: Number.POSITIVE_INFINITY }
    const isOver = performance.now() > end
    if (isOver || findUnreturned(wanted, { ...held, readers: 0 }).length === 0) {
      const now = { ...held, readers: await countReaders(home, program.child.pid) }
      if (isOver || now.readers <= wanted.readers) return now
    }
    await sleep(200)
  }
}

/** The connection that asks is one. */
const nothingOfClients = { permits: 0, requestBytes: 0, filterBytes: 0, subscriptions: 0, connections: 1 }

/** Returns what is held that was not held before. */
const findUnreturned = (before: Holdings, after: Holdings): readonly string[] =>
  (Object.keys(before) as (keyof Holdings)[])
    .filter((name) => after[name] > before[name])
    .map((name) => `${name}: ${before[name]} before, ${after[name]} after`)

const mean = (numbers: readonly number[]): number =>
  Math.round(numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length))

const describeMemory = (samples: readonly number[]): SoakReport['memory'] => {
  const third = Math.max(1, Math.floor(samples.length / 3))
  const [first, last] = [mean(samples.slice(0, third)), mean(samples.slice(-third))]
  const hours = (2 * third * sampleMs) / 3_600_000
  return { first, last, perHour: Math.round((last - first) / hours) }
}
