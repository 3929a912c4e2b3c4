import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { eventually } from '../support/eventually.ts'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { runInTerminal } from '../support/terminal.ts'
import { temporaryHome } from '../support/testServer.ts'

const firstKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

const hasScript = spawnSync('script', ['--version']).status === 0

describe.runIf(hasScript)('perihelion start in a terminal', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const start = (...flags: readonly string[]) =>
    runInTerminal(['start', ...isolatedFlags(home), ...flags], { env: { NO_COLOR: '1' } })

  test('greets with addresses, accounts and data at each start, and shows what happens', slow, async () => {
    for (const state of ['new, at block 0', 'at block 1']) {
      const program = start()
      try {
        await eventually(
          () => program.output().includes(firstKey) || program.output().includes('perihelion:'),
        )
        const [, http = ''] = /HTTP +(http:\S+)/.exec(program.output()) ?? []
        expect(program.output()).toContain(`produces blocks itself, ${state}`)
        expect(program.output()).toContain(`Start over perihelion reset --home ${home}`)
        expect(program.output()).not.toContain('a new home')
        expect(program.output()).not.toContain('{"level"')
        expect(program.output()).not.toContain('perihelion ready')
        expect(program.output()).not.toContain('\x1b[')
        await postJson(http, '{"jsonrpc":"2.0","id":1,"method":"evm_mine","params":[]}')
        await eventually(() => /^block {2}\d/m.test(program.output()))
        program.interrupt()
        await program.ended
        expect(program.output()).toContain('stopped')
      } finally {
        program.kill()
      }
    }
  })

  test('shows no key of a mnemonic of its own', async () => {
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const program = start(`--mnemonic=${words}`)
    try {
      await eventually(() => program.output().includes('10 accounts of your mnemonic'))
      expect(program.output()).not.toContain('Private keys')
      expect(program.output()).not.toContain('sausage')
      program.interrupt()
      await program.ended
    } finally {
      program.kill()
    }
  })

  test('has structured logs with --json, and elsewhere text with --log.format=text', slow, async () => {
    const json = start('--json')
    try {
      await eventually(() => json.output().includes('perihelion ready'))
      expect(json.output()).toContain('{"level":"info"')
      json.interrupt()
      await json.ended
    } finally {
      json.kill()
    }
    const text = runProgram(['start', ...isolatedFlags(home), '--log.format=text'])
    await text.ready()
    expect(text.stderr()).toContain('Chain id   31337')
    text.child.kill('SIGTERM')
    await text.ended()
    expect(text.stderr()).not.toContain('{')
  })
})
