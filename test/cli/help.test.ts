import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands/commands.ts'
import { settingEntries } from '../../src/config/settings/settings.ts'
import { runProgram } from '../support/program.ts'
import { testSome } from '../support/slow.ts'

const run = async (...args: readonly string[]) => {
  const program = runProgram(args)
  const code = await program.ended()
  return { code, stdout: program.stdout(), stderr: program.stderr() }
}

const screenLines = 44

describe('help', () => {
  // That of anvil has the flags of anvil.
  const names = Object.keys(commands).filter((name) => name !== 'anvil')
  testSome(
    2,
    [[], ...names.map((name) => [name])].map((args) => [args] as const),
  )('of %j fits a screen', async (args) => {
    const { stdout, code } = await run(...args, '--help')
    expect(code).toBe(0)
    expect(stdout.split('\n').length).toBeLessThanOrEqual(screenLines)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(130)
  })

  test.each([['version'], ['--version'], ['-V'], ['help'], ['--help'], ['-h']])(
    '%s alone is answered as the program would',
    async (word) => {
      // With a second word the program itself answers.
      const again = word === 'version' || word === 'help' ? `--${word}` : word
      const [alone, program] = [await run(word), await run(again, again)]
      expect(alone).toEqual(program)
      expect(alone).toMatchObject({ code: 0, stderr: '' })
    },
  )

  test('has all settings with --all', async () => {
    const { stdout } = await run('start', '--help', '--all')
    for (const [name] of settingEntries) expect(stdout).toContain(`--${name} `)
  })
})

describe("other tools' flags", () => {
  testSome(2, [
    [['start', '--port', '1'], 78, '--port: unknown flag, use --json-rpc.address 127.0.0.1:PORT'],
    [
      ['gateway', '--node=http://127.0.0.1:9', '--fork-url=http://127.0.0.1:9'],
      78,
      'fork-url: given (--fork-url) to a gateway',
    ],
    [['testnet', '--port', '1'], 64, "unknown option '--port': use --base-port PORT"],
    [['status', '--datadir', '/x'], 64, "unknown option '--datadir': use --home FOLDER"],
    [
      ['export', '--out=/x', '--fork-url', 'http://x'],
      64,
      'perihelion export has none: with perihelion start, use --fork-url',
    ],
    [['export', '--out=/x', '--hom=/x'], 64, "unknown option '--hom'"],
  ])('%j is refused with the right hint', async (args, code, text) => {
    const ended = await run(...args)
    expect(ended.stderr).toMatch(/^perihelion: /)
    expect(ended.stderr).toContain(text)
    expect(ended.code).toBe(code)
  })
})
