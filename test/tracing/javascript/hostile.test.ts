import { readFileSync, rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { hostileScripts } from './hostileScripts.ts'

/** All of them with `npm run long -- tracers`; a few, spread over all kinds, with the others. */
const wanted = Number(process.env.HOSTILE_SCRIPTS ?? 6)
const isWhole = wanted >= hostileScripts.length
const chosen = isWhole
  ? hostileScripts
  : hostileScripts.filter((_, index) => index % Math.ceil(hostileScripts.length / wanted) === 0)

/** Threads of scripts give way to all others: on a busy machine they hardly run. */
const timeoutMs = isWhole ? 500 : 3000
/** A busy machine adds to it; HOSTILE_SLACK_MS=200 holds on a quiet one. */
const slackMs = Number(process.env.HOSTILE_SLACK_MS ?? 10_000)
const maxGrowth = 100 * 2 ** 20
const reader = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
/** A few instructions, a call among them. */
const code = '0x5f5f5f5f5f30602a5af15f5260205ff3'
const target = '0x00000000000000000000000000000000000bad00'

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

describe('hostile scripts', slow, () => {
  let home: string
  let program: Program
  let http: string

  beforeAll(async () => {
    home = temporaryHome()
    program = runProgram(['start', ...isolatedFlags(home)])
    http = (await program.ready()).http ?? ''
  })
  afterAll(async () => {
    program.child.kill('SIGKILL')
    await program.ended()
    rmSync(home, { recursive: true, force: true })
  })

  const send = async (
    method: string,
    params: readonly unknown[],
  ): Promise<{ body: string; answer: Answer }> => {
    const body = await postJson(http, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return { body, answer: JSON.parse(body) as Answer }
  }
  const trace = (tracer: string, timeout = `${timeoutMs}ms`) =>
    send('debug_traceCall', [
      { to: target, gas: '0x20000' },
      'latest',
      { tracer, timeout, stateOverrides: { [target]: { code } } },
    ])
  const residentBytes = (): number =>
    Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${program.child.pid}/status`, 'utf8'))?.[1]) * 1024

  /** Reads one balance after the other until told to stop; how long each took, and the most memory seen. */
  const watch = (): { stop(): Promise<{ readonly times: readonly number[]; readonly peak: number }> } => {
    let isWanted = true
    const watching = (async () => {
      const times: number[] = []
      let peak = 0
      while (isWanted) {
        const startedAt = performance.now()
        const { answer } = await send('eth_getBalance', [reader, 'latest'])
        expect(answer.result).toBe('0x21e19e0c9bab2400000')
        times.push(performance.now() - startedAt)
        peak = Math.max(peak, residentBytes())
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return { times: times.sort((a, b) => a - b), peak }
    })()
    return {
      stop: () => {
        isWanted = false
        return watching
      },
    }
  }

  test(`${chosen.length} of ${hostileScripts.length}: none is late, none gets out, and reads go on`, async () => {
    expect(hostileScripts).toHaveLength(100)
    // What a thread for a script takes, whatever the script does.
    const harmless = '{ fault: function() {}, result: function() { return 1 } }'
    const calm = watch()
    const starts: number[] = []
    for (let i = 0; i < 3; i++) {
      const startedAt = performance.now()
      expect((await trace(harmless, '20s')).answer).toMatchObject({ result: 1 })
      starts.push(performance.now() - startedAt)
    }
    const startMs = Math.max(...starts)
    const { peak: calmPeak } = await calm.stop()

    const watching = watch()
    const late: string[] = []
    const escaped: string[] = []
    const slowest = { name: '', ms: 0 }
    for (const { name, script } of chosen) {
      const startedAt = performance.now()
      const { body, answer } = await trace(script)
      const took = performance.now() - startedAt - startMs
      if (took > slowest.ms) Object.assign(slowest, { name, ms: took })
      if (took > timeoutMs + slackMs) late.push(`${name}: ${Math.round(took)} ms`)
      if (body.includes('ESCAPED')) escaped.push(`${name}: ${body.slice(0, 200)}`)
      if (answer.error !== undefined)
        expect([-32000, -32003], `${name}: ${body.slice(0, 200)}`).toContain(answer.error.code)
    }
    const { times, peak } = await watching.stop()
    const quantile = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? Number.NaN
    process.stderr.write(
      `hostile scripts: ${chosen.length} ran, a thread starts in ${Math.round(startMs)} ms; slowest beyond that ` +
        `${Math.round(slowest.ms)} ms (${slowest.name}) at a timeout of ${timeoutMs}; ` +
        `${((peak - calmPeak) / 2 ** 20).toFixed(1)} MB above harmless ones; ${times.length} reads meanwhile, ` +
        `median ${quantile(0.5).toFixed(1)} ms, longest ${quantile(1).toFixed(1)} ms\n`,
    )
    expect(late).toEqual([])
    expect(escaped).toEqual([])
    expect(peak - calmPeak).toBeLessThan(maxGrowth)
    expect(quantile(0.5)).toBeLessThan(500)
    expect(program.child.exitCode).toBeNull()
  })
})
