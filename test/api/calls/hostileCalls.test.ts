import { readFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson, sendHttp } from '../../support/clients.ts'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { hostileCode } from './hostileCode.ts'

const timeoutMs = 500
/** What a worker may take to be ended and replaced on a machine with nothing else to do. */
const slackMs = 3000
const target = '0x00000000000000000000000000000000000bad00'
const reader = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

interface HostileCall {
  readonly name: string
  readonly method: string
  readonly params: readonly unknown[]
}

/** Each code by each way to run it. */
const calls: readonly HostileCall[] = Object.entries(hostileCode).flatMap(([name, code]) => {
  const overrides = { [target]: { code: `0x${code}` } }
  const request = { from: reader, to: target }
  return [
    { name, method: 'eth_call', params: [request, 'latest', overrides] },
    { name, method: 'eth_estimateGas', params: [{ data: `0x${code}` }, 'latest'] },
    { name, method: 'eth_createAccessList', params: [request, 'latest', overrides] },
    { name, method: 'eth_callMany', params: [[{ transactions: [request, request] }], {}, overrides] },
  ]
})

interface Reading {
  /** Milliseconds of each read, sorted. */
  stop(): Promise<readonly number[]>
}

/** Nearest rank. */
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN

/**
 * Two nodes: one that is attacked, and one that only answers the same cheap reads. How busy the machine is shows in
 * both alike, so that the second is the measure for the first.
 */
describe('hostile calls', slow, () => {
  let homes: string[]
  let programs: Program[]
  let http: string
  let controlHttp: string

  beforeEach(async () => {
    homes = [temporaryHome(), temporaryHome()]
    const settings = [
      `--json-rpc.evm-timeout=${timeoutMs}ms`,
      '--json-rpc.http-timeout=5m',
      '--json-rpc.call-workers=2',
    ]
    programs = homes.map((home) => runProgram(['start', ...isolatedFlags(home), ...settings]))
    const [attacked, control] = await Promise.all(programs.map((program) => program.ready()))
    http = attacked?.http ?? ''
    controlHttp = control?.http ?? ''
  })
  afterEach(async () => {
    for (const program of programs) program.child.kill('SIGKILL')
    await Promise.all(programs.map((program) => program.ended()))
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  })

  const send = async (method: string, params: readonly unknown[], url = http): Promise<Answer> =>
    JSON.parse(await postJson(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as Answer
  const metric = async (name: string): Promise<number> => {
    const { body } = await sendHttp(http, { method: 'GET', path: '/metrics' })
    return Number(
      body
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  }
  const threads = (): number =>
    Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${programs[0]?.child.pid}/status`, 'utf8'))?.[1])

  /** Reads one balance after the other until told to stop; how long each took. */
  const readOn = (url: string): Reading => {
    let isWanted = true
    const reads = (async () => {
      const times: number[] = []
      while (isWanted) {
        const startedAt = performance.now()
        expect((await send('eth_getBalance', [reader, 'latest'], url)).result).toBe('0x21e19e0c9bab2400000')
        times.push(performance.now() - startedAt)
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      return times.sort((a, b) => a - b)
    })()
    return {
      stop: () => {
        isWanted = false
        return reads
      },
    }
  }

  const describeReads = (name: string, times: readonly number[]): string => {
    const figures = [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(1))
    return `${times.length} ${name}, median ${figures[0]} ms, 95th percentile ${figures[1]} ms, longest ${figures[2]} ms`
  }
  /** A call may hold up the others for some milliseconds before it goes to a worker; no more than that. */
  const expectUndisturbed = (reads: readonly number[], control: readonly number[]): void => {
    expect(reads.length).toBeGreaterThan(control.length / 10)
    for (const share of [0.5, 0.95])
      expect(quantile(reads, share)).toBeLessThan(10 * quantile(control, share) + 50)
  }

  test('100 of them end within their limit while cheap reads go on, and leave no thread behind', async () => {
    expect(calls).toHaveLength(100)
    // Both workers run before threads are counted.
    await Promise.all([calls[0], calls[4]].map((call) => send(call?.method ?? '', call?.params ?? [])))
    const threadsBefore = threads()
    const readings = [readOn(http), readOn(controlHttp)]
    const took: { readonly what: string; readonly ms: number }[] = []
    for (const { name, method, params } of calls) {
      const startedAt = performance.now()
      const { result, error } = await send(method, params)
      took.push({ what: `${method} of ${name}`, ms: performance.now() - startedAt })
      if (error !== undefined) expect([-32000, 3], error.message).toContain(error.code)
      else expect(result).toBeDefined()
    }
    const [reads = [], control = []] = await Promise.all(readings.map((reading) => reading.stop()))
    const replaced = await metric('perihelion_call_workers_replaced_total{pool="call"}')
    const slowest = Math.max(...took.map(({ ms }) => ms))
    process.stderr.write(
      `hostile calls: slowest ${Math.round(slowest)} ms, ${replaced} workers replaced; ` +
        `${describeReads('reads meanwhile', reads)}; ${describeReads('on an idle node', control)}\n`,
    )
    const limitMs = timeoutMs + slackMs + 20 * quantile(control, 1)
    expect(took.filter(({ ms }) => ms > limitMs)).toEqual([])
    expectUndisturbed(reads, control)
    expect(await metric('perihelion_call_queue{pool="call"}')).toBe(0)
    expect(await metric('perihelion_call_workers{pool="call",state="busy"}')).toBe(0)
    expect(threads()).toBeLessThanOrEqual(threadsBefore + 1)
  })

  test('all at once: each is answered, and reads are too', async () => {
    const readings = [readOn(http), readOn(controlHttp)]
    const answers = await Promise.all(calls.map(({ method, params }) => send(method, params)))
    const [reads = [], control = []] = await Promise.all(readings.map((reading) => reading.stop()))
    expect(answers.filter(({ result, error }) => result === undefined && error === undefined)).toEqual([])
    expectUndisturbed(reads, control)
    expect(await metric('perihelion_call_queue{pool="call"}')).toBe(0)
  })
})
