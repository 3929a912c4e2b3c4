import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { slow } from '../../../test/support/slow.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { addToRuns, intersectRuns, type Posting, toPageOrdinal, uniteRuns } from './postings.ts'
import { PostingTable } from './postingTable.ts'

const toSet = (runs: readonly number[]): number[] => {
  const entries: number[] = []
  for (let run = 0; run < runs.length; run += 2)
    for (let entry = runs[run] as number; entry < (runs[run + 1] as number); entry++) entries.push(entry)
  return entries
}

const toRuns = (entries: Iterable<number>): number[] => {
  const runs: number[] = []
  for (const entry of [...entries].sort((a, b) => a - b)) addToRuns(runs, entry)
  return runs
}

describe('runs', () => {
  test('intersect and unite as sets do', () => {
    const random = createRandom(1)
    for (let round = 0; round < 2_000; round++) {
      const draw = (): Set<number> =>
        new Set(Array.from({ length: random.below(12) }, () => random.below(24)))
      const [a, b] = [draw(), draw()]
      expect(toSet(intersectRuns(toRuns(a), toRuns(b)))).toEqual(
        toSet(toRuns([...a].filter((x) => b.has(x)))),
      )
      expect(uniteRuns(toRuns(a), toRuns(b))).toEqual(toRuns(new Set([...a, ...b])))
    }
  })
})

describe('posting lists', () => {
  let folder: string
  let environment: LmdbEnvironment
  let lists: PostingTable
  const keys = [Buffer.alloc(8, 1), Buffer.alloc(8, 2), Buffer.alloc(8, 0xff)] as const

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'perihelion-postings-'))
    environment = new LmdbEnvironment({ path: join(folder, 'data'), minFreeBytes: 0 })
    lists = new PostingTable(environment.table('lists'))
  })

  afterEach(async () => {
    await environment.close()
    rmSync(folder, { recursive: true })
  })

  const forwards = (key: Uint8Array, from: number, step = 1): Posting[] => {
    const cursor = lists.cursor(key)
    const found: Posting[] = []
    for (let ordinal = cursor.seek(from); Number.isFinite(ordinal); ordinal = cursor.seek(ordinal + step))
      found.push({ ...cursor.position(), runs: cursor.runs() })
    return found
  }

  test('grow, are walked both ways, and shrink at both ends', slow, async () => {
    const random = createRandom(2)
    const model = new Map<Uint8Array, Posting[]>(keys.map((key) => [key, []]))
    const below = (limit: number): number => random.below(limit)
    let height = 0
    let oldest = 1
    let mostSealed = 0
    const write = (count: number): void => {
      for (let block = 0; block < count; block++) {
        height += 1 + below(3)
        for (const key of keys) {
          if (below(3) === 0) continue
          const pages = [...new Set(Array.from({ length: 1 + below(3) }, () => below(400)))].sort(
            (a, b) => a - b,
          )
          const postings = pages.map((page) => ({
            number: height,
            page,
            runs: toRuns(new Set(Array.from({ length: 1 + below(6) }, () => below(300)))),
          }))
          lists.append({ key, postings })
          model.get(key)?.push(...postings)
        }
      }
    }
    const check = (): void => {
      for (const key of keys) {
        const expected = model.get(key) as Posting[]
        expect(forwards(key, 0)).toEqual(expected)
        const from = toPageOrdinal(below(height + 2), below(400))
        const isFrom = ({ number, page }: Posting): boolean => toPageOrdinal(number, page) >= from
        expect(forwards(key, from)).toEqual(expected.filter(isFrom))
        const back = expected.filter(({ number, page }) => toPageOrdinal(number, page) <= from).reverse()
        expect([...lists.backwards(key, from)]).toEqual(back)
        expect([...lists.backwards(key, Number.MAX_SAFE_INTEGER)]).toEqual([...expected].reverse())
      }
    }
    for (let round = 0; round < 20; round++) {
      await environment.transact(() => write(100))
      check()
      const sealed = [...lists.chunks()].filter(({ kind }) => kind === 'sealed')
      mostSealed = Math.max(mostSealed, sealed.length)
      const cut = Math.max(oldest, height - below(round % 8 === 7 ? 5_000 : 300))
      await environment.transact(() => {
        for (const key of keys) lists.removeAbove(key, cut)
      })
      height = cut
      for (const [key, postings] of model)
        model.set(
          key,
          postings.filter(({ number }) => number <= cut),
        )
      check()
      if (round % 3 === 2) {
        oldest = Math.min(height, oldest + below(500))
        await environment.transact(() => {
          for (const key of keys) lists.removeBelow(key, oldest)
        })
        for (const [key, postings] of model)
          model.set(
            key,
            postings.filter(({ number }) => number >= oldest),
          )
        check()
      }
    }
    expect(mostSealed).toBeGreaterThan(5)
  })

  test('reject a position that they cannot hold', async () => {
    const [key] = keys
    const posting = { number: 1, page: 65_536, runs: [0, 1] }
    await expect(environment.transact(() => lists.append({ key, postings: [posting] }))).rejects.toThrow(
      'page 65536 of block 1 cannot be indexed',
    )
  })
})
