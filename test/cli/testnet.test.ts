import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { lockFolder } from '../../src/base/lock/homeLock.ts'
import { startDetached, stopNetwork } from '../../src/cli/commands/testnet/detached.ts'
import { startTestnetNode } from '../../src/cli/commands/testnet/node.ts'
import { appTomlPath } from '../../src/config/toml/appToml.ts'
import { eventually } from '../support/eventually.ts'
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

describe('a test network in the background', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-testnet-'))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Writes a program that runs in the place of the network. */
  const writeProgram = (code: string): string => {
    const path = join(folder, 'program.mjs')
    writeFileSync(path, code)
    return path
  }

  test.each([
    [74, 74],
    [75, 75],
    [78, 78],
    [0, 70],
    [1, 70],
  ])('one that ends with %s before it is ready is a failure with %s', async (code, told) => {
    const program = writeProgram(`console.error('perihelion: the reason'); process.exitCode = ${code}`)
    await expect(startDetached(folder, [], { program })).rejects.toMatchObject({
      exitCode: told,
      message: expect.stringContaining('the network did not start: the reason'),
    })
  })

  test('the code of a node is passed on', async () => {
    const home = join(folder, 'node0')
    mkdirSync(dirname(appTomlPath(home)), { recursive: true })
    writeFileSync(appTomlPath(home), 'json-rpc = 1\n')
    await expect(startTestnetNode(0, home).ready).rejects.toMatchObject({ exitCode: 78 })
  })

  test.each([
    ['timeout', 'is not ready'],
    ['interrupted', 'nothing of it runs'],
  ])('one that is not ready when it is ended for %s leaves nothing running', async (reason, message) => {
    const program = writeProgram('console.log("pid", process.pid, "."); setInterval(() => {}, 1000)')
    const ending = new AbortController()
    const failed = expect(
      startDetached(folder, [], { program, [reason]: ending.signal }),
    ).rejects.toMatchObject({ exitCode: 70, message: expect.stringContaining(message) })
    const printed = (): RegExpExecArray | null =>
      /pid (\d+) \./.exec(readFileSync(join(folder, 'testnet.log'), 'utf8'))
    await eventually(() => printed() !== null)
    const pid = Number(printed()?.[1])
    ending.abort()
    await failed
    expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('one that ends just before it is stopped is stopped', async () => {
    const unlock = lockFolder(folder, { kind: 'folder', flag: '--home' })
    const kill = process.kill.bind(process)
    vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
      if (signal !== 'SIGTERM') return kill(pid, signal)
      unlock()
      throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH', syscall: 'kill' })
    })
    expect(await stopNetwork(folder)).toBe(true)
    expect(await stopNetwork(folder)).toBe(false)
  })
})
