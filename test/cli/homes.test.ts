import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
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

  test('a genesis file without an end', slow, async () => {
    const { code, text } = await refusal(
      'start',
      ...isolatedFlags(join(folder, 'home')),
      '--genesis=/dev/zero',
    )
    expect({ code, text }).toMatchObject({ code: 74, text: expect.stringContaining('genesis file') })
  })

  test('a file in place of a folder, or on the way to one', slow, async () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const home of [file, join(file, 'home')])
      expect(await refusal('start', ...isolatedFlags(home))).toEqual({
        code: 74,
        text: `perihelion: the home ${home} cannot be used: ${file} is a file\n`,
      })
    const doctor = runProgram(['doctor', ...isolatedFlags(join(file, 'home'))])
    expect(await doctor.ended()).toBe(1)
    expect(doctor.stdout()).toContain(`the home ${join(file, 'home')} cannot be used: ${file} is a file`)
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

  describe('of chains that are gone at the end', () => {
    const ports = isolatedFlags('').slice(2)
    const env = () => ({ HOME: folder, TMPDIR: folder })
    const stop = async (...programs: readonly Program[]): Promise<void> => {
      for (const { child } of programs) child.kill('SIGTERM')
      expect(await Promise.all(programs.map((program) => program.ended()))).toEqual(programs.map(() => 0))
    }
    const ask = async (url: string, headers: Readonly<Record<string, string>>) => {
      const body = '{"jsonrpc":"2.0","id":1,"method":"admin_datadir"}'
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      })
      return (await response.json()) as { result?: string; error?: { code: number } }
    }

    test('several at once, beside a kept one, each with a home that is removed', slow, async () => {
      const kept = runProgram(['start', ...ports], env())
      await kept.ready()
      const [first, second] = [1, 2].map(() => runProgram(['start', '--ephemeral', ...ports], env()))
      if (first === undefined || second === undefined) throw new Error('there are two')
      const [{ http = '' }, { http: other = '' }] = await Promise.all([first.ready(), second.ready()])
      // The secret of tokens is that of the home that other commands look at.
      const token = runProgram(['token'], env())
      await token.ended()
      const headers = { authorization: `Bearer ${token.stdout().trim()}` }
      const homes = [(await ask(http, headers)).result, (await ask(other, headers)).result]
      expect(new Set([...homes, join(folder, '.perihelion')]).size).toBe(3)
      expect((await ask(http, {})).error?.code).toBe(4100)
      await stop(first, second, kept)
      expect(readdirSync(folder)).toEqual(['.perihelion'])
    })

    test('without a home that can be written', async () => {
      const file = join(folder, 'file')
      writeFileSync(file, '')
      const program = runProgram(['start', '--ephemeral', ...ports], { ...env(), HOME: join(file, 'home') })
      await program.ready()
      await stop(program)
      expect(readdirSync(folder)).toEqual(['file'])
    })

    test('one that is named is locked and kept', async () => {
      const flags = ['start', '--ephemeral', ...isolatedFlags(join(folder, 'named'))]
      const program = runProgram(flags, env())
      await program.ready()
      expect(await refusal(...flags)).toMatchObject({ code: 75 })
      await stop(program)
      expect(readdirSync(folder)).toEqual(['named'])
    })
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
