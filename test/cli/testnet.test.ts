import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runProgram } from '../support/program.ts'

describe('a test network that is refused', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-testnet-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test.each([
    [['--block-time=fast'], 64, '--block-time: got "fast", wanted a time such as 500ms or 1s, at most 60s'],
    [['--block-time=2m'], 64, 'at most 60s'],
    [['--fork-name=tokyo'], 64, '--fork-name: got "tokyo", wanted the name of a fork such as prague'],
    [['--validators=17'], 64, '--validators'],
    [['--base-port=65530'], 64, '--base-port: got "65530", wanted an integer from 1 to 65520'],
    [['stop'], 74, 'has no network: perihelion testnet --home'],
    [['foo'], 64, 'too many arguments'],
    [['--no-such-flag'], 64, 'unknown option'],
    // A time with its unit is taken, and what is wrong comes after it.
    [['--block-time=1s', '--fork-name=prague', '--cometbft=/no/such/program'], 74, '/no/such/program'],
  ])('%j is told in one line, and leaves no folder', async (flags, code, text) => {
    const home = join(folder, 'network')
    const program = runProgram(['testnet', '--home', home, ...flags])
    const ended = await program.ended()
    expect(program.stderr()).toMatch(/^perihelion: [^\n]+\n$/)
    expect(program.stderr()).toContain(text)
    expect(ended).toBe(code)
    expect(existsSync(home)).toBe(false)
  })
})
