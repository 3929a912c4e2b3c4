import { readFileSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson, sendHttp } from '../support/clients.ts'
import { ownPorts, type Program, run } from '../support/program.ts'
import { temporaryHome } from '../support/testServer.ts'
import { hostileCode } from './hostileCode.ts'

const timeoutMs = 500
/** What a worker may take to be ended, and what a busy machine adds. */
const slackMs = 10_000
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

describe('hostile calls', () => {
  let home: string
  let program: Program
  let http: string

  beforeEach(async () => {
    home = temporaryHome()
    const settings = [
      `--json-rpc.evm-timeout=${timeoutMs}ms`,
      '--json-rpc.http-timeout=5m',
      '--json-rpc.call-workers=2',
    ]
    program = run(['start', ...ownPorts(home), ...settings])
    http = (await program.ready()).http ?? ''
  })
  afterEach(async () => {
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const send = async (method: string, params: readonly unknown[]): Promise<Answer> =>
    JSON.parse(await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))) as Answer
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
    Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8'))?.[1])

  /** Reads one balance after the other until told to stop; how long each took. */
  const readOn = (): { stop(): Promise<readonly number[]> } => {
    let isWanted = true
    const reads = (async () => {
      const times: number[] = []
      while (isWanted) {
        const startedAt = performance.now()
        expect((await send('eth_getBalance', [reader, 'latest'])).result).toBe('0x21e19e0c9bab2400000')
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

  test('100 of them end within their limit while cheap reads go on, and leave no thread behind', async () => {
    expect(calls).toHaveLength(100)
    // Both workers run before threads are counted.
    await Promise.all([calls[0], calls[4]].map((call) => send(call?.method ?? '', call?.params ?? [])))
    const threadsBefore = threads()
    const reading = readOn()
    const late: string[] = []
    let slowest = 0
    for (const { name, method, params } of calls) {
      const startedAt = performance.now()
      const { result, error } = await send(method, params)
      const took = performance.now() - startedAt
      slowest = Math.max(slowest, took)
      if (took > timeoutMs + slackMs) late.push(`${method} of ${name}: ${Math.round(took)} ms`)
      if (error !== undefined) expect([-32000, 3], error.message).toContain(error.code)
      else expect(result).toBeDefined()
    }
    const times = await reading.stop()
    const quantile = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
    const replaced = await metric('perihelion_call_workers_replaced_total')
    process.stderr.write(
      `hostile calls: slowest ${Math.round(slowest)} ms, ${replaced} workers replaced; ${times.length} reads meanwhile, ` +
        `median ${quantile(0.5).toFixed(1)} ms, 95th percentile ${quantile(0.95).toFixed(1)} ms, ` +
        `longest ${quantile(1).toFixed(1)} ms\n`,
    )
    expect(late).toEqual([])
    expect(quantile(0.5)).toBeLessThan(100)
    expect(quantile(1)).toBeLessThan(10_000)
    expect(await metric('perihelion_call_queue')).toBe(0)
    expect(await metric('perihelion_call_workers{state="busy"}')).toBe(0)
    expect(threads()).toBeLessThanOrEqual(threadsBefore + 1)
  }, 300_000)

  test('all at once: each is answered, and reads are too', async () => {
    const reading = readOn()
    const answers = await Promise.all(calls.map(({ method, params }) => send(method, params)))
    const times = await reading.stop()
    expect(answers.filter(({ result, error }) => result === undefined && error === undefined)).toEqual([])
    expect(times.at(-1)).toBeLessThan(10_000)
    expect(await metric('perihelion_call_queue')).toBe(0)
  }, 300_000)
})
