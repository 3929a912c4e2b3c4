import { spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { postJson } from '../support/clients.ts'
import { isolatedFlags, programPath, runProgram, runToEnd } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'

let home: string
beforeEach(() => {
  home = temporaryHome()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const flagsOf = (...flags: readonly string[]): readonly string[] => [...isolatedFlags(home), ...flags]

/** Makes a home whose chain has 400 blocks, all of them kept. */
const makeHistory = async (): Promise<void> => {
  const program = runProgram(['start', ...flagsOf('--json')])
  try {
    const { http = '' } = await program.ready()
    await postJson(http, '{"jsonrpc":"2.0","id":1,"method":"hardhat_mine","params":["0x190"]}')
  } finally {
    program.child.kill('SIGTERM')
  }
  expect(await program.ended()).toBe(0)
}

const start = (...flags: readonly string[]) => runToEnd(['start', ...flagsOf('--json', ...flags)])

const everything = '--pruning=everything'
const refused = {
  code: 78,
  stderr: expect.stringContaining('pruning = everything removes the states of blocks 0 to 390'),
}

test(
  'a start that would remove history is refused until somebody says that it may go, once',
  slow,
  async () => {
    await makeHistory()
    expect(await start(everything)).toMatchObject(refused)
    // Whatever the flag says.
    expect(await start(everything, '--remove-history')).toMatchObject({ code: 0 })
    // Most of it is still there: a few states go with each block.
    expect(await start(everything)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('removes the states'),
    })
    // What keeps more needs no word, and takes the word back.
    expect(await start()).toMatchObject({ code: 0 })
    expect(await start(everything)).toMatchObject(refused)
    const both = await start(everything, '--min-retain-blocks=20')
    expect(both).toMatchObject(refused)
    expect(both.stderr).toContain('min-retain-blocks = 20 removes the bodies of blocks 1 to 380')
    const doctor = await runToEnd(['doctor', '--json', ...flagsOf(everything)])
    expect(JSON.parse(doctor.stdout)).toContainEqual(
      expect.objectContaining({ check: 'history', level: 'problem', remedy: expect.stringContaining('78') }),
    )
    expect(await runToEnd(['doctor', ...flagsOf(everything, '--remove-history')])).toMatchObject({ code: 0 })
  },
)

const hasScript = spawnSync('script', ['--version']).status === 0

/** Starts the program in a terminal, and answers its question. */
const answer = async (line: string): Promise<{ readonly code: number; readonly output: string }> => {
  const words = [process.execPath, programPath, 'start', ...flagsOf(everything)].map((word) => `'${word}'`)
  const child = spawn('script', ['-qfec', `exec ${words.join(' ')}`, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  /** What is typed when something is shown: the answer, and Ctrl-C as soon as it serves. */
  const typed = new Map([
    [/\[y\/N\]/, `${line}\r`],
    [/HTTP +http:/, '\x03'],
  ])
  child.stdout.on('data', (chunk) => {
    output += chunk
    for (const [shown, keys] of typed) if (shown.test(output) && typed.delete(shown)) child.stdin.write(keys)
  })
  const code = await new Promise<number>((resolve) => child.once('close', (ended) => resolve(ended ?? -1)))
  return { code, output }
}

test.runIf(hasScript)('on a terminal the start asks, and takes only a yes', slow, async () => {
  await makeHistory()
  const no = await answer('')
  expect(no).toMatchObject({ code: 78, output: expect.stringContaining('Remove them? [y/N]') })
  expect(await answer('y')).toMatchObject({ code: 0 })
  expect(await start(everything)).toMatchObject({ code: 0 })
})
