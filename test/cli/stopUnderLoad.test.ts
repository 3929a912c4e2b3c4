import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { postJson, sendHttp } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { toCallJson } from '../support/rpc/calls.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

const target = `0x${'77'.repeat(20)}`
/** JUMPDEST PUSH0 JUMP: it ends with its gas, or with its time. */
const endless = { [target]: { code: '0x5b5f56' } }
/** More gas and more time than the test takes: nothing but the stop can end these calls. */
const limits = [
  '--json-rpc.gas-cap=1000000000000',
  '--json-rpc.evm-timeout=10m',
  '--json-rpc.trace-timeout=10m',
]

let home: string
let program: Program | undefined
beforeEach(() => {
  home = temporaryHome()
})
afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended()
  rmSync(home, { recursive: true, force: true })
})

test('SIGTERM under calls and traces that loop ends the program with 0, and says so', slow, async () => {
  program = runProgram(['start', ...isolatedFlags(home), ...limits])
  const { http = '' } = await program.ready()
  const call = toCallJson('eth_call', [{ to: target }, 'latest', endless])
  const trace = toCallJson('debug_traceCall', [
    { to: target },
    'latest',
    { tracer: 'callTracer', stateOverrides: endless },
  ])
  const answers = [...Array(32).fill(call), ...Array(8).fill(trace)].map((body: string) =>
    postJson(http, body).catch((error: Error) => error.message),
  )
  const isBusy = async (pool: string): Promise<boolean> => {
    const { body } = await sendHttp(http, { method: 'GET', path: '/metrics' })
    return new RegExp(`perihelion_call_workers\\{pool="${pool}",state="busy"\\} [12]`).test(body)
  }
  await eventually(async () => (await isBusy('call')) && (await isBusy('trace')))
  program.child.kill('SIGTERM')
  expect(await program.ended()).toBe(0)
  expect(program.stderr()).toMatch(/"msg":"stopped"/)
  for (const answer of await Promise.all(answers))
    expect(answer).toMatch(/-32002|503|ECONNRESET|socket hang up/)
})
