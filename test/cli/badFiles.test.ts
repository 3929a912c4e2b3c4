import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, programPath, runProgram } from '../support/program.ts'
import { slow, testSome } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

/** Files that are not what they should be: one line that says so and the code for it, never a stack. */
describe('files that cannot be used', () => {
  let home: string
  beforeEach(() => {
    home = temporaryHome()
    mkdirSync(join(home, 'config'), { recursive: true })
    mkdirSync(join(home, 'data'), { recursive: true })
  })
  afterEach(() => rmSync(home, { recursive: true, force: true }))

  const run = async (...args: readonly string[]): Promise<{ code: unknown; stderr: string }> => {
    const program = runProgram(args)
    return { code: await program.ended(), stderr: program.stderr() }
  }
  const start = (...args: readonly string[]) =>
    run('start', ...isolatedFlags(home), '--log.level=fatal', ...args)
  const refusal = (code: number, text: string) => ({
    code,
    stderr: expect.stringMatching(new RegExp(`^perihelion: [^\\n]*${text}[^\\n]*\\n$`)),
  })
  const folder = (...parts: readonly string[]) => mkdirSync(join(home, ...parts), { recursive: true })
  const deadLink = (...parts: readonly string[]) => symlinkSync('/nonexistent/file', join(home, ...parts))

  testSome(3, [
    ['app.toml is a folder', () => folder('config', 'app.toml'), 78, 'is not a regular file'],
    ['app.toml is a link to nothing', () => deadLink('config', 'app.toml'), 78, 'a link to nothing'],
    ['jwt.hex is a folder', () => folder('jwt.hex'), 74, 'jwt.hex is not a regular file'],
    ['jwt.hex is a link to nothing', () => deadLink('jwt.hex'), 74, 'jwt.hex is a link to nothing'],
    ['chain.mdb is a folder', () => folder('data', 'chain.mdb'), 74, 'chain.mdb is not a regular file'],
    ['chain.mdb is a link to nothing', () => deadLink('data', 'chain.mdb'), 74, 'chain.mdb cannot be opened'],
    [
      'the mark is a folder',
      () => folder('data', 'chain.mdb.new'),
      74,
      'chain.mdb.new is not a regular file',
    ],
    [
      'the lock is a folder',
      () => folder('data', 'chain.mdb-lock'),
      74,
      'chain.mdb-lock is not a regular file',
    ],
  ])('%s', async (_, make, code, text) => {
    make()
    expect(await start()).toEqual(refusal(code, text))
  })

  // Each was opened for writing through the link.
  testSome(2, [
    ['head.shared', ['data', 'head.shared'], ['--json-rpc.workers=1']],
    ['the journal of transactions', ['data', 'pool', 'transactions.journal'], []],
    ['the lock of the data file', ['data', 'chain.mdb-lock'], []],
    ['the mark of the data file', ['data', 'chain.mdb.new'], []],
  ])('%s is a link: its target is not overwritten', async (_, parts, flags) => {
    const target = join(home, 'target')
    writeFileSync(target, 'kept')
    folder(...parts.slice(0, -1))
    symlinkSync(target, join(home, ...parts))
    expect(await start(...flags)).toEqual(refusal(74, `${parts.at(-1)} is a symbolic link`))
    expect(readFileSync(target, 'utf8')).toBe('kept')
    expect(existsSync(`${target}-lock`)).toBe(false)
  })

  test('a genesis and a folder for output that are not ones', slow, async () => {
    const file = join(home, 'file')
    writeFileSync(file, Buffer.from([0xff, 0, 1]))
    expect(await start('--genesis', join(home, 'config'))).toEqual(refusal(74, 'is a folder'))
    expect(await start('--genesis', file)).toEqual(refusal(74, 'is not JSON'))
    expect(await run('follow', '--out', file)).toEqual(refusal(74, 'EEXIST'))
  })

  test('the reader of the output may go, and a full disk is told', slow, () => {
    const shell = (command: string) => spawnSync('bash', ['-c', command], { encoding: 'utf8' })
    const program = `${process.execPath} ${programPath}`
    for (const args of ['start --help', 'config docs']) {
      const { stdout, stderr } = shell(`${program} ${args} | head -c 1 | wc -c; echo \${PIPESTATUS[0]}`)
      expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: '1\n0', stderr: '' })
    }
    const { status, stderr } = shell(`${program} config docs > /dev/full`)
    expect({ status, stderr }).toEqual(refusalOf(74, 'the standard output cannot be written: .*ENOSPC'))
  })

  const refusalOf = (status: number, text: string) => ({ status, stderr: refusal(status, text).stderr })

  testSome(4, [
    ['follow', '--out', '-', '--urll=https://user:pa55word@host'],
    ['follow', '--out', '-', '--url', 'ftp://user:pa55word@host'],
    ['pa55word'],
    ['db', '0xpa55word'],
    ['start', 'pa55word'],
    ['start', '--mnemonic', 'pa55word', 'pa55word'],
    ['config', 'show', '--fork-header', 'pa55word'],
    ['anvil', '--mnemonic', 'pa55word'],
    ['anvil', '--fork-url', 'pa55word'],
    ['anvil', '--forkurl', 'https://pa55word'],
    ['anvil', 'pa55word'],
    ['account', 'import', 'pa55word', 'pa55word'],
  ])('%s %s %s %s: what was given is not repeated', async (...args) => {
    const { code, stderr } = await run(...args)
    expect([64, 69, 74, 78]).toContain(code)
    expect(stderr).not.toContain('pa55word')
  })
})
