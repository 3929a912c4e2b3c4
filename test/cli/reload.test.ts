import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, type Program, runProgram, runToEnd } from '../support/program.ts'

const home = mkdtempSync(join(tmpdir(), 'perihelion-reload-'))
let program: Program
let http = ''

beforeAll(async () => {
  program = runProgram(['start', ...isolatedFlags(home), '--json'])
  http = (await program.ready()).http ?? ''
})
afterAll(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended()
  rmSync(home, { recursive: true, force: true })
})

const origin = 'https://app.example'
const statusOf = async (): Promise<number> => {
  const headers = { 'content-type': 'application/json', origin }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const reply = await fetch(http, { method: 'POST', headers, body })
  await reply.text()
  return reply.status
}

const edit = (from: RegExp, to: string): void => {
  const path = join(home, 'config', 'app.toml')
  const text = readFileSync(path, 'utf8')
  expect(text).toMatch(from)
  writeFileSync(path, text.replace(from, to))
}

/** The line of the log about the nth time. */
const line = async (count: number): Promise<Record<string, unknown>> => {
  const lines = (): string[] =>
    program
      .stderr()
      .split('\n')
      .filter((text) => text.includes('the settings were'))
  await eventually(async () => lines().length >= count)
  return JSON.parse(lines()[count - 1] ?? '')
}

test('SIGHUP takes changed settings, and says what changed and what needs a restart', async () => {
  expect(await statusOf()).toBe(403)
  edit(/^cors = .*$/m, `cors = ["${origin}"]`)
  edit(/^pruning = .*$/m, 'pruning = "everything"')
  program.child.kill('SIGHUP')
  expect(await line(1)).toMatchObject({ level: 'info', changed: ['json-rpc.cors'], needRestart: ['pruning'] })
  expect(await statusOf()).toBe(200)
})

test('settings that are wrong change nothing', async () => {
  edit(/^cors = .*$/m, 'cors = 7')
  program.child.kill('SIGHUP')
  expect(await line(2)).toMatchObject({ level: 'error', reason: expect.stringContaining('json-rpc.cors') })
  expect(await statusOf()).toBe(200)
})

/** The lines of `config show` that tell of other values than the running ones. */
const differences = async (...flags: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout } = await runToEnd(['config', 'show', '--home', home, ...flags])
  expect(code).toBe(0)
  return stdout.split('\n').filter((text) => text.includes('; process '))
}

test('config show tells what runs from what is in the file', async () => {
  // A flag of the start, pruning which needs a restart, and cors, of which the file has a wrong value now.
  edit(/^cors = .*$/m, 'cors = ["https://app.example"]')
  const runs = `; process ${program.child.pid} runs with`
  const started = [
    expect.stringMatching(
      /^pruning = "everything" .*; process \d+ runs with "archive" \(default\) until a restart$/,
    ),
    expect.stringContaining(`${runs} "json" (--log.format)`),
    expect.stringContaining(`${runs} "127.0.0.1:0" (--json-rpc.address)`),
    expect.stringContaining(`${runs} "127.0.0.1:0" (--json-rpc.ws-address)`),
  ]
  expect(await differences()).toEqual(started)
  edit(/^cors = .*$/m, 'cors = ["https://other.example"]')
  edit(
    /^mnemonic = .*$/m,
    'mnemonic = "legal winner thank year wave sausage worth useful legal winner thank yellow"',
  )
  const changed = await differences()
  expect(changed).toHaveLength(6)
  expect(changed).toContainEqual(expect.stringContaining(`${runs} ["${origin}"] (`))
  expect(changed).toContainEqual(expect.stringMatching(/app\.example.* until SIGHUP$/))
  expect(changed).toContainEqual(
    expect.stringMatching(/^mnemonic = "?\(not shown\).* runs with .* until a restart$/),
  )
  expect(changed.join()).not.toContain('legal winner')
  program.child.kill('SIGHUP')
  await line(3)
  await eventually(async () => (await differences()).length === 5)
  expect(
    await differences('--json-rpc.address=127.0.0.1:0', '--json-rpc.ws-address=127.0.0.1:0'),
  ).toHaveLength(3)
})

test('a stop is not an error', async () => {
  program.child.kill('SIGTERM')
  expect(await program.ended()).toBe(0)
  const levels = program
    .stderr()
    .split('\n')
    .filter((text) => text.includes('"signal"') || text.includes('"stopped"'))
    .map((text) => JSON.parse(text).level)
  expect(levels).toEqual(['info', 'info'])
  expect(await differences()).toEqual([])
})
