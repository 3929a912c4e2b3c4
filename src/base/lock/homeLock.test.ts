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
import { eventually } from '../../../test/support/eventually.ts'
import { slow } from '../../../test/support/slow.ts'
import { exitCodes } from '../exit.ts'
import { homeHolder, lockHome } from './homeLock.ts'

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

  test('is taken once, named in the rejection, and free after its release', () => {
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

  test('of a process that ended and that nobody waits for is free', async () => {
    // The shell becomes a process that never asks for the exit code of its child.
    const shell = spawn('sh', ['-c', 'exec 3<&0; (read line <&3) & echo $!; exec sleep 600'])
    const [text] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = Number(text.toString())
    const stat = (): string[] => {
      const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
      return line.slice(line.lastIndexOf(')') + 2).split(' ')
    }
    try {
      await eventually(() => readFileSync(`/proc/${shell.pid}/comm`, 'utf8').trim() === 'sleep')
      shell.stdin.end()
      await eventually(() => stat()[0] === 'Z')
      writeFileSync(file, JSON.stringify({ pid, startedAt: stat()[19], nonce: 'ab' }))
      lockHome(home)()
    } finally {
      shell.kill('SIGKILL')
    }
  })

  test('of a process of another container holds while that lives, and no longer', async () => {
    const child = await holder(home)
    const { nonce } = JSON.parse(readFileSync(file, 'utf8')) as { nonce: string }
    // As it is read where process ids are other ones: this one is alive there, and here nobody has it.
    writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, startedAt: '1', place: 'elsewhere', nonce }))
    expect(() => lockHome(home)).toThrow('of another container')
    expect(() => lockHome(home)).toThrow(inUse)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockHome(home)()
    expect(readdirSync(home)).toEqual([])
  })

  test('of another boot of the computer is free, and its files are not opened', () => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, place: 'another-boot pid:[1]', nonce: 'ab' }))
    writeFileSync(`${file}.ab.alive`, Buffer.alloc(8192))
    writeFileSync(`${file}.ab.alive-lock`, '')
    expect(homeHolder(home)).toBeUndefined()
    lockHome(home)()
    expect(readdirSync(home)).toEqual([])
  })

  test.each([
    ['zeros', Buffer.alloc(8192)],
    ['noise', Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 7919) % 251))],
    ['nothing', Buffer.alloc(0)],
  ])('whose sign of life is %s is free: LMDB would end the process that opens it', (_, content) => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, place: 'elsewhere', nonce: 'ab' }))
    writeFileSync(`${file}.ab.alive`, content)
    writeFileSync(`${file}.ab.alive-lock`, '')
    expect(homeHolder(home)).toBeUndefined()
    lockHome(home)()
  })

  test('is looked at without changing anything, and says where its holder is', async () => {
    expect(homeHolder(home)).toBeUndefined()
    const child = await holder(home)
    const files = readdirSync(home)
    expect(homeHolder(home)).toEqual({ pid: child.pid, isElsewhere: false })
    const { nonce } = JSON.parse(readFileSync(file, 'utf8')) as { nonce: string }
    writeFileSync(file, JSON.stringify({ pid: 1, place: 'elsewhere', nonce }))
    expect(homeHolder(home)).toEqual({ pid: 1, isElsewhere: true })
    expect(readdirSync(home)).toEqual(files)
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  test('whose files lost their content at a power cut is an error that names one', () => {
    writeFileSync(file, '')
    writeFileSync(`${file}.after-nobody`, '')
    expect(() => lockHome(home)).toThrow(/after-nobody names nobody: remove it/)
    expect(() => homeHolder(home)).toThrow(/after-nobody names nobody: remove it/)
  })

  test('of many processes that find the file of a dead one, exactly one gets it', slow, async () => {
    writeFileSync(file, JSON.stringify({ pid: process.pid, startedAt: '1' }))
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => holder(home)))
    const winners = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    for (const { value } of winners) value.kill('SIGKILL')
  })
})
