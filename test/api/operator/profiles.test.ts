import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startNodeAt, type TestNode } from '../../support/node.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { allocateForTheTest, spinForTheTest, startThread } from './loads.ts'

const alice = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const bob = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

interface Frame {
  readonly functionName: string
}
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: Frame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly startTime: number
  readonly endTime: number
}
interface HeapNode {
  readonly callFrame: Frame
  readonly selfSize: number
  readonly children: readonly HeapNode[]
}
interface Row {
  readonly count: number
  readonly milliseconds: number
  readonly longest: number
}
interface BlockReport {
  readonly delay: { readonly max: number; readonly count: number }
  readonly stacks: readonly (Row & { readonly stack: readonly string[] })[]
}
interface MutexReport {
  readonly locks: readonly (Row & { readonly lock: string })[]
  readonly stacks: readonly (Row & { readonly lock: string; readonly stack: readonly string[] })[]
}
interface Memory {
  readonly arrayBuffers: number
  readonly heap: { readonly used: number }
  readonly threads: Readonly<Record<string, { readonly used: number }>>
}
interface Garbage {
  readonly count: number
  readonly pauseMilliseconds: number
  readonly byKind: Readonly<Record<string, Row>>
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T

/** Samples in a function or in what it called. */
const samplesOf = ({ nodes, samples }: CpuProfile, name: string): number => {
  const within = new Set<number>()
  // Callers stand before those whom they call.
  for (const { id, callFrame, children = [] } of nodes) {
    if (callFrame.functionName === name) within.add(id)
    if (within.has(id)) for (const child of children) within.add(child)
  }
  return samples.filter((id) => within.has(id)).length
}

/** Bytes that a function and what it called allocated. */
const bytesOf = (node: HeapNode, name: string, isInside = false): number => {
  const counts = isInside || node.callFrame.functionName === name
  return node.children.reduce((sum, child) => sum + bytesOf(child, name, counts), counts ? node.selfSize : 0)
}

/** Does something again and again until a call is answered: how long a profile takes to begin is not for us to know. */
const during = async <T>(answer: Promise<T>, load: () => unknown): Promise<T> => {
  let isOver = false
  const over = answer.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await load()
    await sleep(10)
  }
  return over
}

let home: string
let node: TestNode

beforeAll(async () => {
  home = temporaryHome()
  node = await startNodeAt(home, '--json-rpc.call-workers=1', '--json-rpc.inline-gas=0', '--lightkdf')
})
afterAll(async () => {
  await node.close()
  rmSync(home, { recursive: true, force: true })
})

describe('figures of the process', () => {
  test('memStats counts what is held, and knows the threads', async () => {
    const before = await node.call<Memory>('debug_memStats')
    const held = [allocateForTheTest(1_000_000), Buffer.alloc(64_000_000, 1)]
    const after = await node.call<Memory>('debug_memStats')
    expect(after.heap.used - before.heap.used).toBeGreaterThan(20_000_000)
    expect(after.arrayBuffers - before.arrayBuffers).toBeGreaterThan(60_000_000)
    expect(Object.keys(after.threads)).toContain('main')
    expect(Object.keys(after.threads).filter((name) => name.startsWith('app-'))).toHaveLength(1)
    expect(held).toHaveLength(2)
  })

  test('freeOSMemory collects what nobody holds, and gcStats counts it', async () => {
    let held: object[] | undefined = allocateForTheTest(1_000_000)
    await node.call('debug_freeOSMemory')
    const full = await node.call<Memory>('debug_memStats')
    const before = await node.call<Garbage>('debug_gcStats')
    expect(held.length).toBe(1_000_000)
    held = undefined
    expect(await node.call('debug_freeOSMemory')).toBeNull()
    const empty = await node.call<Memory>('debug_memStats')
    expect(full.heap.used - empty.heap.used).toBeGreaterThan(20_000_000)
    const after = await node.call<Garbage>('debug_gcStats')
    expect(after.count).toBeGreaterThan(before.count)
    expect(after.pauseMilliseconds).toBeGreaterThan(before.pauseMilliseconds)
    expect(after.byKind.major?.count ?? 0).toBeGreaterThan(before.byKind.major?.count ?? 0)
  })

  test('setGCPercent decides how often the whole heap is collected', slow, async () => {
    const base = allocateForTheTest(500_000)
    const majorRuns = async (percent: number): Promise<number> => {
      await node.call('debug_setGCPercent', percent)
      await node.call('debug_freeOSMemory')
      const before = await node.call<Garbage>('debug_gcStats')
      let kept: object[][] = []
      for (let round = 0; round < 40; round++) {
        kept = [...kept.slice(-3), allocateForTheTest(100_000)]
        await sleep(1)
      }
      const after = await node.call<Garbage>('debug_gcStats')
      return (after.byKind.major?.count ?? 0) - (before.byKind.major?.count ?? 0)
    }
    expect(await node.call('debug_setGCPercent', -1)).toBe(-1)
    const often = await majorRuns(2)
    const seldom = await majorRuns(5000)
    expect(await node.call('debug_setGCPercent', -1)).toBe(5000)
    expect(often).toBeGreaterThan(2 * seldom)
    expect(base).toHaveLength(500_000)
    expect((await node.failure('debug_setGCPercent', 0)).code).toBe(-32602)
  })

  test('stacks shows where each thread is', async () => {
    const thread = await startThread()
    try {
      expect(await node.call('debug_stacks')).toMatch(/^load-of-the-test-\d+: waits for work$/m)
      await thread.begin()
      const stacks = await node.call<string>('debug_stacks')
      const threads = stacks.split('\n\n')
      expect(threads[0]).toMatch(/^main: runs\n[^\0]*at Dispatcher\.dispatch /)
      expect(threads.some((text) => /^app-\d+: /.test(text))).toBe(true)
      const busy = threads.find((text) => /^load-of-the-test-\d+: runs\n/.test(text))
      expect(busy).toContain('spinInTheThread (')
      expect(await node.call('debug_stacks', 'spinInTheThread')).toMatch(/^load-of-the-test-\d+: [^\0]*$/)
      expect(await node.call('debug_stacks', 'nobody has this')).toBe('')
    } finally {
      await thread.end()
    }
  })
})

describe('a call that runs long', slow, () => {
  let hostile: TestNode
  let place: string
  beforeAll(async () => {
    place = temporaryHome()
    hostile = await startNodeAt(
      place,
      '--json-rpc.gas-cap=100000000000',
      '--json-rpc.evm-timeout=3s',
      '--profiling.heap-sample=0',
    )
  })
  afterAll(async () => {
    await hostile.close()
    rmSync(place, { recursive: true, force: true })
  })

  test('without samples of the heap there is no profile of it', async () => {
    expect((await hostile.failure('debug_writeMemProfile', 'heap')).message).toContain(
      'profiling.heap-sample',
    )
  })

  test('is seen in the stacks and in the profile of its worker', async () => {
    await hostile.call('debug_startCPUProfile', 'long')
    let isOver = false
    const ended = hostile.failure('eth_call', { data: '0x5b600056' }).finally(() => {
      isOver = true
    })
    let seen = ''
    while (!isOver && seen === '') {
      seen = await hostile.call<string>('debug_stacks', 'wasm')
      await sleep(20)
    }
    expect(seen).toMatch(/^call-\d+: runs\n/)
    expect((await ended).message).toBe('execution aborted (timeout = 3s)')
    const files = await hostile.call<string[]>('debug_stopCPUProfile')
    const ofWorkers = files.filter((path) => /long\.call-\d+\.cpuprofile$/.test(path))
    // A worker that started after the profile did is in it all the same.
    expect(ofWorkers.some((path) => readFileSync(path, 'utf8').includes('wasm'))).toBe(true)
  })
})

describe('profiles', () => {
  const nameOf = (path: string | undefined): string => basename(path ?? '')

  test('a CPU profile has the hot function, of workers too', async () => {
    const thread = await startThread()
    try {
      expect(await node.call('debug_startCPUProfile', 'cpu.cpuprofile')).toBeNull()
      await thread.begin()
      expect(await node.failure('debug_startCPUProfile', 'other.cpuprofile')).toEqual({
        code: -32000,
        message: 'CPU profiling already in progress',
      })
      spinForTheTest(300)
      const files = await node.call<string[]>('debug_stopCPUProfile')
      expect(files[0]).toBe(join(home, 'profiles', 'cpu.cpuprofile'))
      const profile = readJson<CpuProfile>(files[0] as string)
      expect(samplesOf(profile, 'spinForTheTest')).toBeGreaterThan(10)
      expect(profile.samples).toHaveLength(profile.timeDeltas.length)
      expect(profile.endTime - profile.startTime).toBeGreaterThan(300_000)
      const ofWorker = files.find((path) => /^cpu\.load-of-the-test-\d+\.cpuprofile$/.test(nameOf(path)))
      expect(samplesOf(readJson(ofWorker as string), 'spinInTheThread')).toBeGreaterThan(10)
      expect(files.some((path) => /^cpu\.app-\d+\.cpuprofile$/.test(nameOf(path)))).toBe(true)
      expect((await node.failure('debug_stopCPUProfile')).message).toBe('CPU profiling not in progress')
    } finally {
      await thread.end()
    }
  })

  test('debug_cpuProfile profiles for a time, and gives the name its extension', slow, async () => {
    const profiled = node.call<string[]>('debug_cpuProfile', 'timed', 1)
    const [file = ''] = await during(profiled, () => spinForTheTest(100))
    expect(nameOf(file)).toBe('timed.cpuprofile')
    expect(samplesOf(readJson(file), 'spinForTheTest')).toBeGreaterThan(10)
  })

  test('a heap profile has who allocated, and no content', async () => {
    const canary = 'canary-d41d8cd98f'
    const held = [allocateForTheTest(1_000_000), { canary: canary.repeat(2) }]
    const [file = ''] = await node.call<string[]>('debug_writeMemProfile', 'heap.heapprofile')
    const text = readFileSync(file, 'utf8')
    const profile = JSON.parse(text) as { readonly head: HeapNode }
    expect(bytesOf(profile.head, 'allocateForTheTest')).toBeGreaterThan(10_000_000)
    expect(text).not.toContain(canary)
    expect(held).toHaveLength(2)
  })

  test('trace events have collections and files read', async () => {
    expect(await node.call('debug_startGoTrace', 'trace.json')).toBeNull()
    expect((await node.failure('debug_startGoTrace', 'trace.json')).message).toBe('trace already in progress')
    await node.call('debug_freeOSMemory')
    readFileSync(new URL(import.meta.url))
    const [file = ''] = await node.call<string[]>('debug_stopGoTrace')
    const { traceEvents } = readJson<{
      traceEvents: { name: string; ph: string; ts: number; pid: number }[]
    }>(file)
    const names = new Set(traceEvents.map(({ name }) => name))
    expect([...names]).toEqual(expect.arrayContaining(['MajorGC', 'fs.sync.open']))
    expect(traceEvents.every(({ ph, ts, pid }) => ph !== undefined && ts >= 0 && pid === process.pid)).toBe(
      true,
    )
    expect((await node.failure('debug_stopGoTrace')).message).toBe('trace not in progress')
    expect(await node.call('debug_goTrace', 'short.json', 0)).toEqual([join(home, 'profiles', 'short.json')])
  })

  const expectBlocked = (path: string | undefined): void => {
    const { delay, stacks } = readJson<BlockReport>(path as string)
    expect(delay.max).toBeGreaterThan(250)
    const blocked = stacks.find(({ stack }) => stack.some((frame) => frame.startsWith('spinForTheTest (')))
    expect(blocked?.longest).toBeGreaterThan(250)
  }

  test('a block profile has what blocked the loop', slow, async () => {
    const profiled = node.call<string[]>('debug_blockProfile', 'block.json', 1)
    const [file] = await during(profiled, () => spinForTheTest(400))
    expectBlocked(file)
  })

  test('delays are measured from the time that a rate is set', slow, async () => {
    expect((await node.failure('debug_writeBlockProfile', 'late.json')).code).toBe(-32000)
    expect(await node.call('debug_setBlockProfileRate', 1)).toBeNull()
    await sleep(50)
    spinForTheTest(400)
    await sleep(50)
    expectBlocked((await node.call<string[]>('debug_writeBlockProfile', 'late.json'))[0])
    // The window of samples was turned over meanwhile: what was measured stays.
    expectBlocked((await node.call<string[]>('debug_writeBlockProfile', 'later.json'))[0])
    expect(await node.call('debug_setBlockProfileRate', 0)).toBeNull()
  })

  /** A loop until the gas is gone: longer than any call inline. */
  const longCall = () =>
    node.call('eth_call', { data: '0x5b600056', gas: '0x2faf080' }).catch(() => undefined)

  test('a mutex profile has who waited for a worker meanwhile', slow, async () => {
    // The thread of the calls starts with the first one, which takes its time.
    await longCall()
    const profiled = node.call<string[]>('debug_mutexProfile', 'mutex.json', 3)
    const [file = ''] = await during(profiled, () => Promise.all([longCall(), longCall(), longCall()]))
    const { locks, stacks } = readJson<MutexReport>(file)
    const name = 'permit of a worker: call'
    const lock = locks.find((row) => row.lock === name)
    expect(lock?.count).toBeGreaterThan(0)
    expect(lock?.milliseconds).toBeGreaterThan(0)
    expect(stacks.find((row) => row.lock === name)?.stack.join('\n')).toContain('WorkerPool')
  })

  test('waits are counted from the start, stacks from the time that a fraction is set', slow, async () => {
    const passphrase = 'canary-5eb63bbbe0'
    const read = async (): Promise<MutexReport> => {
      const [file = ''] = await node.call<string[]>('debug_writeMutexProfile', 'all.json')
      expect(readFileSync(file, 'utf8')).not.toContain(passphrase)
      return readJson(file)
    }
    // The first call waits for its thread to start, which is a wait more.
    await longCall()
    const before = await read()
    expect(before.stacks).toEqual([])
    expect(await node.call('debug_setMutexProfileFraction', 1)).toBeNull()
    const three = (make: () => Promise<unknown>) => Promise.all([make(), make(), make()])
    await three(longCall)
    await three(() => node.call('personal_newAccount', passphrase))
    await three(() => node.call('eth_sendTransaction', { from: alice, to: bob, value: '0x1' }))
    const after = await read()
    const rise = (lock: string): number => {
      const count = ({ locks }: MutexReport) => locks.find((row) => row.lock === lock)?.count ?? 0
      return count(after) - count(before)
    }
    expect(rise('permit of a worker: call')).toBe(2)
    expect(rise('turn to derive a key')).toBe(2)
    expect(rise('turn of an account to send')).toBeGreaterThan(0)
    expect(new Set(after.stacks.map(({ lock }) => lock)).size).toBe(3)
    expect(await node.call('debug_setMutexProfileFraction', 0)).toBeNull()
  })
})

describe('files of profiles', () => {
  const folder = (): string => join(home, 'profiles')
  const takers = [
    ['debug_cpuProfile', 0],
    ['debug_startCPUProfile'],
    ['debug_goTrace', 0],
    ['debug_startGoTrace'],
    ['debug_blockProfile', 0],
    ['debug_writeBlockProfile'],
    ['debug_mutexProfile', 0],
    ['debug_writeMutexProfile'],
    ['debug_writeMemProfile'],
  ] as const

  beforeEach(() => rmSync(folder(), { recursive: true, force: true }))
  afterEach(() => rmSync(folder(), { recursive: true, force: true }))

  test.each(takers)('%s takes a plain name alone', async (method, ...rest) => {
    const bad = [
      '../outside.json',
      '..',
      '.',
      '.hidden',
      '',
      '/etc/passwd',
      'sub/file',
      'sub\\file',
      'a\0b',
      'a\nb',
      '%2e%2e%2fa',
      'ünicode',
      '-rf',
      `${'a'.repeat(101)}`,
      'C:file',
    ]
    for (const name of bad) expect((await node.failure(method, name, ...rest)).code, name).toBe(-32602)
    expect(() => statSync(folder())).toThrow()
  })

  test('nobody else can read them', async () => {
    const [file = ''] = await node.call<string[]>('debug_writeMutexProfile', 'mutex')
    expect(dirname(file)).toBe(folder())
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder())).toEqual(['mutex.json'])
  })

  test('a link is replaced, and what it points to is left alone', async () => {
    const target = join(home, 'precious')
    writeFileSync(target, 'precious')
    mkdirSync(folder())
    symlinkSync(target, join(folder(), 'mutex.json'))
    await node.call('debug_writeMutexProfile', 'mutex.json')
    expect(readFileSync(target, 'utf8')).toBe('precious')
    expect(lstatSync(join(folder(), 'mutex.json')).isFile()).toBe(true)
  })

  test('a folder that is a link is not written to', async () => {
    const elsewhere = join(home, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, folder())
    expect((await node.failure('debug_writeMutexProfile', 'mutex.json')).code).toBe(-32000)
    expect(readdirSync(elsewhere)).toEqual([])
    rmSync(folder())
  })

  test('a name that is taken by a folder is an error, and nothing stays behind', async () => {
    mkdirSync(join(folder(), 'mutex.json'), { recursive: true })
    expect((await node.failure('debug_writeMutexProfile', 'mutex.json')).code).toBe(-32000)
    expect(readdirSync(folder())).toEqual(['mutex.json'])
  })
})
