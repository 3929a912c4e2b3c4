import { describe, expect, test } from 'vitest'
import { acquireLock, type LockFiles, type LockHolder } from './lockProtocol.ts'

const path = 'lock'

/** Files in memory: names of texts. */
class MemoryFiles implements LockFiles {
  readonly names = new Map<string, string>()

  link(from: string, to: string): boolean {
    const text = this.names.get(from)
    if (text === undefined) throw new Error(`no ${from}`)
    if (this.names.has(to)) return false
    this.names.set(to, text)
    return true
  }

  read(name: string): string | undefined {
    return this.names.get(name)
  }

  rename(from: string, to: string): void {
    this.names.set(to, this.names.get(from) ?? '')
    this.names.delete(from)
  }

  remove(name: string): void {
    this.names.delete(name)
  }
}

const randomFrom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

interface Process {
  readonly pid: number
  readonly steps: Generator<undefined, LockHolder | undefined>
  state: 'tries' | 'holds' | 'refused' | 'gone' | 'killed'
}

class World {
  readonly files = new MemoryFiles()
  readonly processes: Process[] = []
  readonly isAlive = ({ pid }: LockHolder): boolean =>
    this.processes.some(
      (process) => process.pid === pid && process.state !== 'killed' && process.state !== 'gone',
    )

  start(): Process {
    const pid = this.processes.length + 1
    const draft = `${path}.${pid}`
    this.files.names.set(draft, JSON.stringify({ pid, nonce: pid.toString(16) }))
    const steps = acquireLock(this.files, { path, draft, isAlive: this.isAlive })
    const process: Process = { pid, steps, state: 'tries' }
    this.processes.push(process)
    return process
  }

  step(process: Process): void {
    if (process.state === 'holds') {
      this.files.remove(path)
      process.state = 'gone'
      return
    }
    const { done, value } = process.steps.next()
    if (done) process.state = value === undefined ? 'holds' : 'refused'
  }

  get holding(): number {
    return this.processes.filter(({ state }) => state === 'holds').length
  }
}

/** Runs some processes in a random order, with kills; gives the most that held the lock at a time. */
const runWorld = (seed: number): { readonly most: number; readonly world: World } => {
  const random = randomFrom(seed)
  const world = new World()
  if (random(4) > 0)
    world.files.names.set(path, ['{"pid":99,"nonce":"63"}', '', '{"pid":99}'][random(3)] as string)
  let most = 0
  for (let count = 2 + random(4); count > 0; count--) world.start()
  for (let step = 0; step < 120; step++) {
    const active = world.processes.filter(({ state }) => state === 'tries' || state === 'holds')
    const process = active[random(active.length)]
    if (process === undefined) break
    // Who holds the lock goes on holding it for a while.
    if (random(40) === 0) process.state = 'killed'
    else if (process.state === 'tries' || random(8) === 0) world.step(process)
    most = Math.max(most, world.holding)
  }
  return { most, world }
}

describe('the lock among processes that run and die at any time', () => {
  test('is never held twice, and never lost for good', () => {
    const twice: number[] = []
    const lost: number[] = []
    let held = 0
    for (let seed = 1; seed <= 30_000; seed++) {
      const { most, world } = runWorld(seed)
      if (most > 1) twice.push(seed)
      held += most
      // Everybody is gone: the next one gets it.
      for (const process of world.processes) process.state = 'killed'
      const late = world.start()
      for (let step = 0; late.state === 'tries' && step < 100; step++) world.step(late)
      if (late.state !== 'holds') lost.push(seed)
    }
    expect({ twice, lost }).toEqual({ twice: [], lost: [] })
    expect(held).toBeGreaterThan(15_000)
  })
})
