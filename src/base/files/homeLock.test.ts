import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exitCodes } from '../exit.ts'
import { lockHome } from './homeLock.ts'

/** A process that locks the home and holds on. */
const holder = async (home: string): Promise<ChildProcess> => {
  const module = JSON.stringify(new URL('homeLock.ts', import.meta.url).href)
  const script = `const { lockHome } = await import(${module}); lockHome(${JSON.stringify(home)}); process.stdout.write('locked'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error('it could not lock')
    }),
  ])
  return child
}

describe('the lock of a home', () => {
  let home: string
  let file: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'perihelion-'))
    file = join(home, 'perihelion.lock')
  })
  afterEach(() => rmSync(home, { recursive: true }))

  const inUse = expect.objectContaining({ exitCode: exitCodes.homeInUse })

  test('is taken once, named in the refusal, and free after its release', () => {
    const release = lockHome(home)
    expect(() => lockHome(home)).toThrow(inUse)
    expect(() => lockHome(home)).toThrow(`process ${process.pid}`)
    release()
    expect(readdirSync(home)).toEqual([])
    lockHome(home)()
  })

  test('of a process that lives holds; of one that was killed it does not', async () => {
    const child = await holder(home)
    expect(() => lockHome(home)).toThrow(`process ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(file)).toBe(true)
    lockHome(home)()
  })

  test('of a killed process whose number another one has now is free', () => {
    // This process lives, but did not start at that time.
    writeFileSync(file, JSON.stringify({ pid: process.pid, startedAt: '1' }))
    lockHome(home)()
  })

  test.each(['', '{', 'null', '[]', '{"pid":"x"}', '{"pid":-1}'])(
    'a file that says %s is of no process',
    (content) => {
      writeFileSync(file, content)
      const release = lockHome(home)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: process.pid })
      release()
    },
  )

  test.each([
    ['a pipe', () => execFileSync('mkfifo', [file])],
    ['a device without an end', () => symlinkSync('/dev/zero', file)],
    ['a link to nothing', () => symlinkSync(join(home, 'nothing'), file)],
  ])('%s in its place is an error', (_, make) => {
    make()
    expect(() => lockHome(home)).toThrow('not a regular file')
    expect(readdirSync(home)).toEqual(['perihelion.lock'])
  })

  test('of many processes that find the file of a dead one, exactly one gets it', async () => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, startedAt: '1' }))
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => holder(home)))
    const winners = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const { value } of winners) value.kill('SIGKILL')
  })
})
