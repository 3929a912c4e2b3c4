import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fakeChain } from '../../../test/support/fakeChain.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { Events, HeadChange } from '../../chain/port/events.ts'
import type { LogFilter } from '../../chain/port/logFilter.ts'
import type { BlockLogs } from '../../chain/port/logs.ts'
import { CriteriaMemory } from '../criteriaMemory.ts'
import { FilterJournal } from './filterJournal.ts'
import { FilterManager } from './filterManager.ts'

const minute = 60_000
const hashOf = (number: number): Uint8Array => new Uint8Array(32).fill(number)
const latest = { kind: 'tag', tag: 'latest' } as const
const at = (number: number) => ({ kind: 'number', number: BigInt(number) }) as const
const address = `0x${'11'.repeat(20)}`
const everything: LogFilter = {
  blocks: { kind: 'range', from: latest, to: latest },
  addresses: [],
  topics: [],
}
const scope = { signal: new AbortController().signal, hold: () => {} }

const logJson = (number: number, index: number, removed = false): Uint8Array =>
  Buffer.from(JSON.stringify({ address, topics: [], number, index, removed }))

/** Blocks with as many logs as the test says, and a clock that it moves. */
const createWorld = (
  options: {
    cap?: number
    logs?: number
    perBlock?: number
    isSlow?: boolean
    memory?: number
    journal?: FilterJournal
  } = {},
) => {
  let head = 10
  let now = 0
  const listeners = new Set<(change: HeadChange) => void>()
  const pending = new Set<Parameters<Events['onPending']>[0]>()
  const perBlock = options.perBlock ?? 2
  const blockLogs = (number: number): BlockLogs => {
    const logs = Array.from({ length: perBlock }, (_, index) => logJson(number, index))
    return { number, count: perBlock, text: Buffer.from(logs.join()), logs }
  }
  const memory = new CriteriaMemory(options.memory ?? 100_000_000)
  const filters = new FilterManager(
    {
      filterTimeout: 5 * minute,
      filterCap: options.cap ?? 200,
      logsCap: options.logs ?? 0,
      logsBytesCap: 1_000_000,
    },
    {
      chain: fakeChain({
        head: () => ({ number: head, hash: hashOf(head), time: 0 }),
        blocks: { hash: hashOf },
        logs: {
          *search(_, from, to) {
            for (let number = from; number <= to; number++) {
              const until = performance.now() + (options.isSlow ? 3 : 0)
              while (performance.now() < until);
              yield blockLogs(number)
            }
          },
        },
      }),
      events: {
        onHead: (listener) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
        onPending: (listener) => {
          pending.add(listener)
          return () => pending.delete(listener)
        },
      },
      memory,
      journal: options.journal,
      now: () => now,
    },
  )
  return {
    filters,
    memory,
    listeners,
    pending,
    grow: (blocks: number) => {
      head += blocks
    },
    takeBack: (to: number) => {
      const gone = Array.from({ length: head - to }, (_, index) => head - index)
      const removed = gone.map((number) => ({
        number,
        logs: [logJson(number, 0, true), logJson(number, 1, true)],
      }))
      head = to
      for (const listener of listeners) listener({ kind: 'reverted', to, removedLogs: () => removed })
    },
    wait: (ms: number) => {
      now += ms
    },
    sees: (hash: Uint8Array) => {
      for (const listener of pending) listener({ hash } as Parameters<typeof listener>[0])
    },
  }
}

type World = ReturnType<typeof createWorld>

const hashes = async ({ filters }: World, id: bigint): Promise<string[]> => {
  const changes = await filters.changes(id, scope)
  return changes.kind === 'hashes' ? changes.hashes.map(toHex) : []
}

/** `12.0` is the first log of block 12, `-12.0` the same as one that is gone. */
const logs = async ({ filters }: World, id: bigint): Promise<string[]> => {
  const changes = await filters.changes(id, scope)
  if (changes.kind !== 'logs') return []
  const found = JSON.parse(`[${changes.parts.map((part) => Buffer.from(part).toString()).join()}]`) as {
    number: number
    index: number
    removed: boolean
  }[]
  return found.map(({ number, index, removed }) => `${removed ? '-' : ''}${number}.${index}`)
}

describe('filters', () => {
  test('a block filter reports each new block once', async () => {
    const world = createWorld()
    const id = world.filters.addBlocks('a')
    expect(await hashes(world, id)).toEqual([])
    world.grow(2)
    expect(await hashes(world, id)).toEqual([toHex(hashOf(11)), toHex(hashOf(12))])
    expect(await hashes(world, id)).toEqual([])
  })

  test('a log filter reports new logs, within its range', async () => {
    const world = createWorld()
    const id = world.filters.addLogs(everything, 'a')
    const ranged = world.filters.addLogs(
      { ...everything, blocks: { kind: 'range', from: at(12), to: at(13) } },
      'a',
    )
    const past = world.filters.addLogs(
      { ...everything, blocks: { kind: 'range', from: at(3), to: latest } },
      'a',
    )
    const one = world.filters.addLogs({ ...everything, blocks: { kind: 'hash', hash: hashOf(5) } }, 'a')
    world.grow(1)
    expect(await logs(world, id)).toEqual(['11.0', '11.1'])
    expect(await logs(world, ranged)).toEqual([])
    expect(await logs(world, past)).toEqual(['11.0', '11.1'])
    world.grow(4)
    expect(await logs(world, ranged)).toEqual(['12.0', '12.1', '13.0', '13.1'])
    expect(await logs(world, ranged)).toEqual([])
    expect(await logs(world, one)).toEqual([])
    expect(world.filters.logFilter(past).blocks).toMatchObject({ from: at(3) })
  })

  test('what does not fit one answer comes with the next', async () => {
    const world = createWorld({ logs: 5 })
    const id = world.filters.addLogs(everything, 'a')
    world.grow(5)
    expect(await logs(world, id)).toEqual(['11.0', '11.1', '12.0', '12.1'])
    expect(await logs(world, id)).toEqual(['13.0', '13.1', '14.0', '14.1'])
    expect(await logs(world, id)).toEqual(['15.0', '15.1'])
    const dense = createWorld({ logs: 5, perBlock: 7 })
    const other = dense.filters.addLogs(everything, 'a')
    dense.grow(2)
    expect(await logs(dense, other)).toHaveLength(7)
    expect(await logs(dense, other)).toHaveLength(7)
  })

  test('any number of polls at once neither lose nor repeat', async () => {
    const world = createWorld({ isSlow: true })
    const id = world.filters.addLogs(everything, 'a')
    const polls: Promise<string[]>[] = []
    for (let round = 0; round < 6; round++) {
      world.grow(3)
      polls.push(logs(world, id), logs(world, id), logs(world, id))
      await nextTurn()
    }
    const seen = (await Promise.all(polls)).flat()
    seen.push(...(await logs(world, id)))
    expect(seen).toEqual(
      Array.from({ length: 18 }, (_, block) => [`${11 + block}.0`, `${11 + block}.1`]).flat(),
    )
  })

  test('a poll that nobody waits for any more takes nothing away', async () => {
    const world = createWorld({ isSlow: true })
    const id = world.filters.addLogs(everything, 'a')
    world.grow(5)
    const gone = new AbortController()
    const poll = world.filters.changes(id, { ...scope, signal: gone.signal })
    gone.abort()
    await expect(poll).rejects.toThrow()
    expect(await logs(world, id)).toHaveLength(10)
  })

  test('logs of blocks that are gone are revoked where they were delivered', async () => {
    const world = createWorld()
    const id = world.filters.addLogs(everything, 'a')
    const blocks = world.filters.addBlocks('a')
    world.grow(3)
    const late = world.filters.addLogs(everything, 'a')
    expect(await logs(world, id)).toHaveLength(6)
    expect(await hashes(world, blocks)).toHaveLength(3)
    world.takeBack(11)
    world.grow(1)
    expect(await logs(world, id)).toEqual(['-13.0', '-13.1', '-12.0', '-12.1', '12.0', '12.1'])
    expect(await logs(world, id)).toEqual([])
    expect(await logs(world, late)).toEqual(['12.0', '12.1'])
    expect(await hashes(world, blocks)).toEqual([toHex(hashOf(12))])
    const other = { ...everything, addresses: [fromHex(`0x${'22'.repeat(20)}`)] }
    const unconcerned = world.filters.addLogs(other, 'a')
    world.grow(1)
    await logs(world, unconcerned)
    world.takeBack(10)
    expect(await logs(world, unconcerned)).toEqual([])
  })

  test('a process that is killed after a revert reports the corrected blocks', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'filters-'))
    const openJournal = (): FilterJournal =>
      new FilterJournal(join(folder, 'filters.journal'), (error) => {
        throw error
      })
    const journals = [openJournal()]
    try {
      const first = createWorld({ journal: journals[0] as FilterJournal })
      const id = first.filters.addLogs(everything, 'a')
      const blocks = first.filters.addBlocks('a')
      const later = first.filters.addLogs(
        { ...everything, blocks: { kind: 'range', from: at(20), to: latest } },
        'a',
      )
      first.grow(3)
      expect(await logs(first, id)).toHaveLength(6)
      expect(await hashes(first, blocks)).toHaveLength(3)
      expect(await logs(first, later)).toEqual([])
      const usedAt = journals[0]?.filters()[0]?.usedAt
      first.takeBack(11)
      // Nothing is closed, and nothing was polled since.
      journals.push(openJournal())
      const second = createWorld({ journal: journals[1] as FilterJournal })
      second.grow(3)
      expect(await logs(second, id)).toEqual(['12.0', '12.1', '13.0', '13.1'])
      expect(await hashes(second, blocks)).toEqual([toHex(hashOf(12)), toHex(hashOf(13))])
      expect(await logs(second, later)).toEqual([])
      second.filters.close()
      // A revert is not a poll: the filter expires when it would have.
      expect(journals[0]?.filters()[0]).toMatchObject({ since: 11, next: 12, usedAt })
    } finally {
      for (const journal of journals) journal.close()
      rmSync(folder, { recursive: true })
    }
  })

  test('a pending filter reports the hashes since it was made', async () => {
    const world = createWorld()
    expect(world.pending.size).toBe(0)
    const id = world.filters.addPending('a')
    world.sees(hashOf(1))
    const second = world.filters.addPending('a')
    world.sees(hashOf(2))
    expect(world.pending.size).toBe(1)
    expect(await hashes(world, id)).toEqual([toHex(hashOf(1)), toHex(hashOf(2))])
    expect(await hashes(world, id)).toEqual([])
    expect(await hashes(world, second)).toEqual([toHex(hashOf(2))])
    for (let count = 0; count < 15_000; count++) world.sees(hashOf(count % 256))
    expect(await hashes(world, id)).toHaveLength(10_000)
    expect(await hashes(world, id)).toHaveLength(5_000)
    world.filters.remove(id)
    expect(world.pending.size).toBe(1)
    world.filters.remove(second)
    expect(world.pending.size).toBe(0)
    const third = world.filters.addPending('a')
    world.sees(hashOf(3))
    expect(await hashes(world, third)).toEqual([toHex(hashOf(3))])
  })

  test('who polls a pending filter too rarely gets an error that says so, once', async () => {
    const world = createWorld()
    const id = world.filters.addPending('a')
    for (let count = 0; count < 270_000; count++) world.sees(hashOf(count % 256))
    expect(() => world.filters.changes(id, scope)).toThrow(
      /transactions since the last poll are not kept any more/,
    )
    expect(await hashes(world, id)).toHaveLength(10_000)
  })

  test('end after five minutes without a poll', async () => {
    const world = createWorld()
    const id = world.filters.addBlocks('a')
    const idle = world.filters.addBlocks('a')
    for (let minutes = 0; minutes < 10; minutes += 4) {
      world.wait(4 * minute)
      expect(await hashes(world, id)).toEqual([])
    }
    expect(() => world.filters.changes(idle, scope)).toThrow('filter not found')
    expect(world.filters.remove(idle)).toBe(false)
    expect(world.filters.size).toBe(1)
    world.wait(5 * minute)
    expect(world.filters.sweep()).toBe(false)
    expect(world.filters.size).toBe(0)
  })

  test('are forgotten bit by bit where there are many', () => {
    const world = createWorld({ cap: 20_000 })
    for (let count = 0; count < 12_000; count++) world.filters.addBlocks('a')
    world.wait(5 * minute)
    expect([world.filters.sweep(), world.filters.sweep(), world.filters.sweep()]).toEqual([true, true, false])
    expect(world.filters.size).toBe(0)
    // Nothing of them counts for their owner any more.
    for (let count = 0; count < 20_000; count++) world.filters.addBlocks('a')
  })

  test('are counted by owner', () => {
    const world = createWorld({ cap: 2 })
    const connection = {}
    const first = world.filters.addBlocks('a')
    world.filters.addPending('a')
    world.filters.addBlocks(connection)
    world.filters.addLogs(everything, connection)
    for (const owner of ['a', connection])
      expect(() => world.filters.addBlocks(owner)).toThrow(/at most 2 a client \(json-rpc\.filter-cap\)/)
    world.filters.addBlocks({})
    expect(world.filters.remove(first)).toBe(true)
    expect(world.filters.remove(first)).toBe(false)
    world.filters.addBlocks('a')
  })

  test('share one memory: idle ones make room, and then there is none', () => {
    const world = createWorld({ memory: 500_000 })
    const large = { ...everything, addresses: Array.from({ length: 500 }, () => new Uint8Array(20)) }
    const idle = world.filters.addLogs(large, 'a')
    world.wait(minute / 2)
    const used = world.filters.addLogs(large, 'b')
    expect(() => world.filters.addLogs(large, 'c')).toThrow(/json-rpc\.filter-memory/)
    world.wait(minute / 2)
    world.filters.logFilter(used)
    const next = world.filters.addLogs(large, 'c')
    expect(() => world.filters.logFilter(idle)).toThrow('filter not found')
    expect(() => world.filters.addLogs(large, 'd')).toThrow(/json-rpc\.filter-memory/)
    for (const id of [used, next]) world.filters.remove(id)
    expect(world.memory.used).toBe(0)
  })

  const patternOf = (items: number): LogFilter => ({
    ...everything,
    addresses: Array.from({ length: items }, () => new Uint8Array(20)),
  })

  test('one client may hold as much of the memory as it leaves free, over all of its connections', () => {
    const world = createWorld({ memory: 1_000_000, cap: 10_000 })
    const fill = (client: string): number => {
      for (let count = 0; ; count++) {
        try {
          world.filters.addLogs(patternOf(10), {}, client)
        } catch (error) {
          expect(String(error)).toMatch(/json-rpc\.filter-memory/)
          return count * 4600
        }
      }
    }
    const [first, second, third] = [fill('a'), fill('b'), fill('c')]
    expect(first / 1_000_000).toBeCloseTo(1 / 2, 1)
    expect(second / 1_000_000).toBeCloseTo(1 / 4, 1)
    expect(third / 1_000_000).toBeCloseTo(1 / 8, 1)
    // Who comes last has its share too.
    world.filters.addLogs(patternOf(100), 'd')
  })

  test('idle filters are left alone where they would not make room enough', () => {
    const world = createWorld({ memory: 500_000 })
    const idle = Array.from({ length: 3 }, () => world.filters.addLogs(patternOf(100), 'a'))
    world.wait(minute)
    world.filters.logFilter(world.filters.addLogs(patternOf(400), 'b'))
    expect(() => world.filters.addLogs(patternOf(1000), 'a')).toThrow(/json-rpc\.filter-memory/)
    for (const id of idle) expect(world.filters.logFilter(id).addresses).toHaveLength(100)
  })

  test('who holds much does not push out who holds little, but the other way round', () => {
    const world = createWorld({ memory: 500_000 })
    const small = world.filters.addLogs(patternOf(10), 'small')
    const large = world.filters.addLogs(patternOf(600), 'large')
    const other = world.filters.addLogs(patternOf(500), 'other')
    world.wait(minute)
    world.filters.logFilter(large)
    expect(() => world.filters.addLogs(patternOf(600), 'large')).toThrow(/json-rpc\.filter-memory/)
    expect(world.filters.logFilter(small).addresses).toHaveLength(10)
    world.wait(minute)
    world.filters.logFilter(small)
    world.filters.addLogs(patternOf(300), 'small')
    expect(() => world.filters.logFilter(other)).toThrow('filter not found')
    expect(world.filters.logFilter(large).addresses).toHaveLength(600)
  })

  test('a filter of another kind has no logs to give', () => {
    const world = createWorld()
    const id = world.filters.addBlocks('a')
    const text = `filter ${toHexQuantity(id)} is a block filter, not a log filter`
    expect(() => world.filters.logFilter(id)).toThrow(text)
    expect(() => world.filters.logFilter(1n)).toThrow('filter not found')
    expect(world.listeners.size).toBe(1)
    world.filters.remove(id)
    expect(world.listeners.size).toBe(0)
    world.filters.addBlocks('a')
    world.filters.close()
    expect(world.listeners.size).toBe(0)
  })
})

const toHexQuantity = (id: bigint): string => `0x${id.toString(16)}`
