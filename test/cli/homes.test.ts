import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Homes and files that cannot be used are refused in one line with an exit code, and never waited for. */
describe('homes', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-homes-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const refusal = async (...args: readonly string[]): Promise<{ code: unknown; text: string }> => {
    const program = runProgram(args)
    const code = await program.ended()
    expect(program.stderr()).toMatch(/^perihelion: [^\n]+\n$/)
    return { code, text: program.stderr() }
  }

  test.runIf(process.platform === 'linux')('under /proc and /sys', async () => {
    for (const home of ['/proc/perihelion', '/proc/self/perihelion/x', '/sys/perihelion'])
      for (const command of ['start', 'token'])
        expect(await refusal(command, '--home', home)).toMatchObject({ code: 78 })
  })

  test('a genesis file without an end', async () => {
    const { code, text } = await refusal(
      'start',
      ...isolatedFlags(join(folder, 'home')),
      '--genesis=/dev/zero',
    )
    expect({ code, text }).toMatchObject({ code: 74, text: expect.stringContaining('genesis file') })
  })

  test('a token for a home that no node has used', async () => {
    const home = join(folder, 'missing')
    const { code, text } = await refusal('token', '--home', home)
    expect({ code, text }).toEqual({
      code: 74,
      text: `perihelion: ${home} does not exist: no node uses it\n`,
    })
    expect(readdirSync(folder)).toEqual([])
    // A token may come before the first start of a node in a home that was prepared for it.
    mkdirSync(home, { mode: 0o700 })
    const program = runProgram(['token', '--home', home])
    expect(await program.ended()).toBe(0)
    expect(program.stdout()).toMatch(/^\S+\n$/)
  })

  test('a working directory that is gone', () => {
    const gone = join(folder, 'gone')
    mkdirSync(gone)
    const script = `cd ${gone} && rmdir ${gone} && exec ${process.execPath} ${main} start --home here`
    const { status, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 74,
      stderr: expect.stringMatching(/^perihelion: the working directory [^\n]+\n$/),
    })
  })

  test.skipIf(process.platform === 'win32')('one that is open to others is closed to them', async () => {
    const home = join(folder, 'open')
    mkdirSync(home)
    chmodSync(home, 0o755)
    const program = runProgram(['start', ...isolatedFlags(home)])
    await program.ready()
    expect(statSync(home).mode & 0o777).toBe(0o700)
    program.child.kill('SIGTERM')
    await program.ended()
  })

  test.skipIf(process.platform === 'win32')('the folder of many is refused', async () => {
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    expect(await refusal('start', ...isolatedFlags(shared))).toMatchObject({ code: 74 })
    expect(statSync(shared).mode & 0o7777).toBe(0o1777)
  })

  test('a second signal during a start leaves no temporary folder', slow, async () => {
    for (const afterMs of [150, 300, 450]) {
      const program = runProgram(['start', ...isolatedFlags(join(folder, 'home')), '--ephemeral'], {
        TMPDIR: folder,
      })
      await sleep(afterMs)
      program.child.kill('SIGTERM')
      await sleep(5)
      program.child.kill('SIGTERM')
      await program.ended()
      expect(readdirSync(folder).filter((name) => name.startsWith('perihelion-'))).toEqual([])
    }
  })
})
