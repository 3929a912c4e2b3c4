import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createLogger } from '../../base/logging/log.ts'
import { ThreadError } from '../../base/threads/threadRpc.ts'
import { Sequencer, type SequencerOptions } from './sequencer.ts'

// The clock is the test's own: it moves when a test says so, and no test takes longer on a busy machine.
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Lets so many milliseconds pass. */
const pass = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms)
}

const until = async (isTrue: () => boolean): Promise<void> => {
  for (let waited = 0; !isTrue(); waited++) {
    if (waited > 60_000) throw new Error(`not so within a minute: ${isTrue}`)
    await pass(1)
  }
}

/** Lets time pass until a promise is settled. */
const settled = async (promise: Promise<unknown>): Promise<void> => {
  let isSettled = false
  void promise.finally(() => {
    isSettled = true
  })
  await until(() => isSettled)
}

/** An engine over a counter of waiting transactions; a block takes as long as `blockMs`. */
const createEngine = (options: SequencerOptions, blockMs = 5) => {
  const facts = {
    waiting: 0,
    blocks: [] as number[],
    running: 0,
    overlap: 0,
    failures: 0,
    failure: new Error('no block today') as Error,
    unknownForks: [] as string[],
    afterBlock: () => {},
    canWrite: true,
    isRefused: false,
    logLines: [] as string[],
  }
  const engine = new Sequencer(options, {
    hasTransactions: () => facts.waiting > 0,
    waiting: () => facts.waiting,
    incoming: () => 0,
    produceBlock: async () => {
      facts.running++
      facts.overlap = Math.max(facts.overlap, facts.running)
      const taken = facts.waiting
      facts.waiting = 0
      await new Promise((resolve) => setTimeout(resolve, blockMs))
      facts.running--
      if (facts.failures > 0) {
        facts.failures--
        facts.waiting += taken
        throw facts.failure
      }
      facts.blocks.push(taken)
      setImmediate(() => facts.afterBlock())
      return taken
    },
    canWrite: () => facts.canWrite,
    isRefusedWrite: () => facts.isRefused,
    onUnknownFork: (reason) => facts.unknownForks.push(reason),
    log: createLogger('error', { write: (line: string) => void facts.logLines.push(line) }),
  })
  return { engine, facts }
}

describe('on demand', () => {
  const options = { blockTimeMs: undefined, createEmptyBlocks: true }

  test('a block comes as soon as there is work, and none without', async () => {
    const { engine, facts } = createEngine(options)
    engine.start()
    await pass(30)
    expect(facts.blocks).toEqual([])
    facts.waiting = 3
    engine.notify()
    await until(() => facts.blocks.length === 1)
    expect(facts.blocks).toEqual([3])
    await engine.stop()
  })

  test('what comes during a block is in the next one, and blocks never overlap', async () => {
    const { engine, facts } = createEngine(options)
    engine.start()
    for (let sent = 0; sent < 40; sent++) {
      facts.waiting++
      engine.notify()
      await pass(1)
    }
    await until(() => facts.waiting === 0 && facts.running === 0)
    await engine.stop()
    expect(facts.blocks.reduce((sum, count) => sum + count, 0)).toBe(40)
    expect(facts.overlap).toBe(1)
    expect(facts.blocks.every((count) => count > 0)).toBe(true)
  })

  test('senders who wait for their blocks share the next one too', async () => {
    const { engine, facts } = createEngine(options, 15)
    facts.afterBlock = () => {
      facts.afterBlock = () => {}
      for (let sent = 0; sent < 8; sent++) {
        facts.waiting++
        engine.notify()
      }
    }
    engine.start()
    facts.waiting = 8
    engine.notify()
    await until(() => facts.blocks.length >= 2 && facts.waiting === 0 && facts.running === 0)
    await engine.stop()
    expect(facts.blocks).toEqual([8, 8])
  })

  /** An engine whose blocks end when the test says so. */
  const createHeldEngine = () => {
    const facts = { waiting: 0, incoming: 0, begun: [] as number[], end: (_: number) => {} }
    const engine = new Sequencer(options, {
      hasTransactions: () => facts.waiting > 0,
      waiting: () => facts.waiting,
      incoming: () => facts.incoming,
      produceBlock: () => {
        facts.begun.push(facts.waiting)
        facts.waiting = 0
        return new Promise((resolve) => {
          facts.end = resolve
        })
      },
      canWrite: () => true,
      isRefusedWrite: () => false,
      onUnknownFork: () => {},
      log: createLogger('error', { write: () => {} }),
    })
    engine.start()
    const send = (count: number): void => {
      facts.waiting += count
      engine.notify()
    }
    /** Ends the block; no timer can pass before the promise resolves. */
    const end = async (transactions: number): Promise<void> => {
      facts.end(transactions)
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
    return { engine, facts, send, end }
  }

  test('those who sent while a block was made wait for its senders', async () => {
    const { engine, facts, send, end } = createHeldEngine()
    send(4)
    send(3)
    // The delay is as long as the block, within bounds.
    await pass(20)
    await end(4)
    expect(facts.begun).toEqual([4])
    send(3)
    expect(facts.begun).toEqual([4])
    send(1)
    expect(facts.begun).toEqual([4, 7])
    await end(7)
    await engine.stop()
  })

  test('no block is held back for more than a hundred, nor after one of a single sender', async () => {
    const { engine, facts, send, end } = createHeldEngine()
    send(150)
    send(120)
    await pass(20)
    await end(150)
    expect(facts.begun).toEqual([150, 120])
    send(1)
    await pass(20)
    await end(1)
    expect(facts.begun).toEqual([150, 120, 1])
    await end(1)
    await engine.stop()
  })

  test('a batch is one block: what is under way is waited for', async () => {
    const { engine, facts, send, end } = createHeldEngine()
    facts.incoming = 92
    send(8)
    await pass(50)
    expect(facts.begun).toEqual([])
    facts.incoming = 0
    send(92)
    expect(facts.begun).toEqual([100])
    await end(100)
    await engine.stop()
  })

  test('what is under way and rejected holds up the others no longer', async () => {
    const { engine, facts, send, end } = createHeldEngine()
    facts.incoming = 3
    send(2)
    expect(facts.begun).toEqual([])
    facts.incoming = 0
    engine.notify()
    expect(facts.begun).toEqual([2])
    await end(2)
    await engine.stop()
  })

  test('what is always under way is waited for once and not for long, and not behind many', async () => {
    const { engine, facts, send, end } = createHeldEngine()
    facts.incoming = 1
    for (let sent = 0; sent < 20; sent++) {
      send(1)
      await pass(5)
    }
    expect(facts.begun).toEqual([20])
    send(2_000)
    await end(20)
    expect(facts.begun).toEqual([20, 2_000])
    await end(2_000)
    send(1)
    await pass(150)
    expect(facts.begun).toEqual([20, 2_000, 1])
    await end(1)
    await engine.stop()
  })

  test('nobody is waited for who does not come', async () => {
    const { engine, facts } = createEngine(options)
    engine.start()
    facts.waiting = 8
    engine.notify()
    await until(() => facts.blocks.length === 1)
    facts.waiting = 1
    engine.notify()
    const from = performance.now()
    await until(() => facts.blocks.length === 2)
    expect(performance.now() - from).toBeLessThan(500)
    await pass(50)
    facts.waiting = 1
    engine.notify()
    expect(facts.running).toBe(1)
    await settled(engine.stop())
    expect(facts.blocks).toEqual([8, 1, 1])
  })

  test('stops after the block under way, and goes on where it was', async () => {
    const { engine, facts } = createEngine(options, 30)
    engine.start()
    facts.waiting = 1
    engine.notify()
    facts.waiting = 2
    await settled(engine.stop())
    expect(facts.running).toBe(0)
    const made = facts.blocks.length
    facts.waiting += 1
    engine.notify()
    await pass(50)
    expect(facts.blocks).toHaveLength(made)
    engine.start()
    await until(() => facts.waiting === 0 && facts.running === 0)
    expect(facts.blocks.length).toBe(made + 1)
    await engine.stop()
  })

  test('a block that could not be made is tried again', async () => {
    const { engine, facts } = createEngine(options)
    facts.failures = 1
    facts.waiting = 2
    engine.start()
    await until(() => facts.blocks.length === 1)
    expect(facts.blocks).toEqual([2])
    await engine.stop()
  })
})

describe('to a beat', () => {
  test('blocks come without work too', async () => {
    const { engine, facts } = createEngine({ blockTimeMs: 20, createEmptyBlocks: true })
    engine.start()
    await until(() => facts.blocks.length >= 3)
    await engine.stop()
    expect(facts.blocks.every((count) => count === 0)).toBe(true)
    expect(engine.isInstantSeal).toBe(false)
  })

  test('or only with work, where empty blocks are not wanted', async () => {
    const { engine, facts } = createEngine({ blockTimeMs: 10, createEmptyBlocks: false })
    engine.start()
    await pass(60)
    expect(facts.blocks).toEqual([])
    facts.waiting = 4
    await until(() => facts.blocks.length === 1)
    await engine.stop()
    expect(facts.blocks).toEqual([4])
  })
})

describe('while nothing can be written', () => {
  test('no block is begun, and the beat goes on when it can', async () => {
    const { engine, facts } = createEngine({ blockTimeMs: 5, createEmptyBlocks: true })
    facts.canWrite = false
    engine.start()
    await pass(40)
    expect([facts.blocks, facts.running]).toEqual([[], 0])
    facts.canWrite = true
    await until(() => facts.blocks.length >= 2)
    await engine.stop()
    const made = facts.blocks.length
    await pass(30)
    expect(facts.blocks).toHaveLength(made)
  })

  test('on demand a block begins when it is notified that it can', async () => {
    const { engine, facts } = createEngine({ blockTimeMs: undefined, createEmptyBlocks: true })
    facts.canWrite = false
    facts.waiting = 1
    engine.start()
    engine.notify()
    await pass(30)
    expect(facts.running).toBe(0)
    facts.canWrite = true
    engine.notify()
    await until(() => facts.blocks.length === 1)
    await engine.stop()
  })

  test.each([
    ['on demand', undefined],
    ['to a beat', 5],
  ])(
    'a rejected write is not logged, and tried again after a pause, which a stop ends (%s)',
    async (_, blockTimeMs) => {
      const { engine, facts } = createEngine({ blockTimeMs, createEmptyBlocks: true })
      facts.failures = 1
      facts.isRefused = true
      facts.waiting = 1
      engine.start()
      await until(() => facts.failures === 0 && facts.running === 0)
      // A notification meanwhile starts no second timer.
      for (let told = 0; told < 5; told++) engine.notify()
      await until(() => facts.blocks.length >= 1)
      expect(facts.logLines).toEqual([])
      expect(facts.overlap).toBe(1)
      facts.failures = 1
      facts.waiting = 1
      engine.notify()
      await until(() => facts.failures === 0 && facts.running === 0)
      await engine.stop()
      const made = facts.blocks.length
      await pass(1200)
      expect(facts.blocks).toHaveLength(made)
    },
  )
})

describe('before a fork that this version does not know', () => {
  test.each([
    ['at an interval', { blockTimeMs: 5, createEmptyBlocks: true }],
    ['on demand', { blockTimeMs: undefined, createEmptyBlocks: true }],
  ])('no block is tried again, %s', async (_, options) => {
    const { engine, facts } = createEngine(options)
    facts.failures = 10
    facts.failure = new ThreadError({ name: 'UnknownForkError', message: 'this node stops here' })
    facts.waiting = 1
    engine.start()
    await until(() => facts.unknownForks.length === 1)
    expect(facts.unknownForks).toEqual(['this node stops here'])
    facts.waiting = 1
    engine.notify()
    await pass(20)
    expect(facts.failures).toBe(9)
    await engine.stop()
  })
})

describe('held up', () => {
  const onDemand = { blockTimeMs: undefined, createEmptyBlocks: true }

  test('work runs between blocks, one piece after the other, and blocks go on after it', async () => {
    const { engine, facts } = createEngine(onDemand)
    engine.start()
    facts.waiting = 1
    engine.notify()
    const seen: string[] = []
    const work = (name: string) => async () => {
      seen.push(`${name} begins with ${facts.running} blocks running`)
      await pass(10)
      facts.waiting = 1
      engine.notify()
      await pass(10)
      seen.push(`${name} ends`)
    }
    await settled(Promise.all([engine.hold(work('first')), engine.hold(work('second'))]))
    expect(seen).toEqual([
      'first begins with 0 blocks running',
      'first ends',
      'second begins with 0 blocks running',
      'second ends',
    ])
    expect(facts.blocks).toEqual([1])
    await until(() => facts.blocks.length === 2)
    await engine.stop()
  })

  test('work that fails holds up nothing any more', async () => {
    const { engine, facts } = createEngine(onDemand)
    engine.start()
    await expect(engine.hold(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    facts.waiting = 1
    engine.notify()
    await until(() => facts.blocks.length === 1)
    await engine.stop()
  })

  test('a stop waits for the work', async () => {
    const { engine } = createEngine(onDemand)
    engine.start()
    let isDone = false
    void engine.hold(async () => {
      await pass(20)
      isDone = true
    })
    await engine.stop()
    expect(isDone).toBe(true)
  })

  test('blocks of an interval come after it', async () => {
    const { engine, facts } = createEngine({ blockTimeMs: 5, createEmptyBlocks: true })
    engine.start()
    await engine.hold(async () => {
      const before = facts.blocks.length
      await pass(30)
      expect(facts.blocks).toHaveLength(before)
    })
    const after = facts.blocks.length
    await until(() => facts.blocks.length > after)
    await engine.stop()
  })
})

test('when blocks are made can be changed while it runs', async () => {
  const { engine, facts } = createEngine({ blockTimeMs: undefined, createEmptyBlocks: true })
  engine.start()
  engine.setOptions({ blockTimeMs: undefined, createEmptyBlocks: true, isManual: true })
  expect(engine.isInstantSeal).toBe(false)
  facts.waiting = 1
  engine.notify()
  await pass(20)
  expect(facts.blocks).toEqual([])
  engine.setOptions({ blockTimeMs: 5, createEmptyBlocks: true })
  await until(() => facts.blocks.length > 1)
  engine.setOptions({ blockTimeMs: undefined, createEmptyBlocks: true })
  await pass(20)
  const made = facts.blocks.length
  await pass(20)
  expect(facts.blocks).toHaveLength(made)
  facts.waiting = 1
  engine.notify()
  await until(() => facts.blocks.length > made)
  await engine.stop()
})

test('blocks go on after one whose successor could not be looked for', async () => {
  let looks = 0
  const blocks: number[] = []
  const engine = new Sequencer(
    { blockTimeMs: undefined, createEmptyBlocks: true },
    {
      hasTransactions: () => {
        if (++looks === 2) throw new Error('not now')
        return blocks.length < 4
      },
      waiting: () => 0,
      incoming: () => 0,
      produceBlock: async () => blocks.push(1),
      canWrite: () => true,
      isRefusedWrite: () => true,
      onUnknownFork: () => {},
      log: createLogger('silent'),
    },
  )
  engine.start()
  await until(() => blocks.length === 4)
  await engine.stop()
})
