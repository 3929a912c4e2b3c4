import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/support/eventually.ts'
import { slow } from '../../../../test/support/slow.ts'
import { spawnWatched } from './watchdog.ts'

const file = fileURLToPath(new URL('./watchdog.ts', import.meta.url))

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Starts a program under a process of its own, and returns the ids of both. */
const startUnder = async (starter: string, args: readonly string[]) => {
  const source = `
    import { spawn } from 'node:child_process'
    import { spawnWatched } from ${JSON.stringify(file)}
    const child = (${starter})('/bin/sh', ${JSON.stringify(args)})
    child.stdout.once('data', () => console.log(child.pid))
    setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
  return { parent, pid: Number(line) }
}

const sleeper = ['-c', 'echo up; while :; do sleep 1; done']
const stubborn = ['-c', 'trap "" TERM; echo up; while :; do sleep 1; done']

describe('a program that is watched', () => {
  const expectEnd = async (args: readonly string[]): Promise<void> => {
    const { parent, pid } = await startUnder('spawnWatched', args)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await eventually(() => !isAlive(pid))
  }

  it('ends when the process that started it is killed', slow, () => expectEnd(sleeper))

  it('ends, even if it ignores SIGTERM, when the process that started it is killed', slow, () =>
    expectEnd(stubborn),
  )

  it('would outlive it if it were not watched', async () => {
    const { parent, pid } = await startUnder('(p, a) => spawn(p, a, { detached: true })', sleeper)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('has its own id, streams and exit code, and leaves no watch behind', async () => {
    const child = spawnWatched('/bin/sh', ['-c', 'echo "$$"; echo wrong >&2; exit 7'])
    const [out, err] = [child.stdout, child.stderr].map((stream) => stream?.setEncoding('utf8'))
    const texts = ['', '']
    out?.on('data', (text: string) => {
      texts[0] += text
    })
    err?.on('data', (text: string) => {
      texts[1] += text
    })
    const [code] = (await once(child, 'close')) as [number]
    expect([code, ...texts]).toEqual([7, `${child.pid}\n`, 'wrong\n'])
  })

  it('is reported as missing if it is not there', async () => {
    const [error] = (await once(spawnWatched('/nowhere/program', []), 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ENOENT')
  })
})
