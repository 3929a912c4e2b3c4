import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRandom } from '../../../test/support/random.ts'
import { slow } from '../../../test/support/slow.ts'
import { temporaryHome } from '../../../test/support/testServer.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { toCallPostings } from '../index/blockPostings.ts'
import { PostingLists } from '../index/postingLists.ts'
import { CallIndexStore } from './callIndexStore.ts'

let folder: string
let index: CallIndexStore

beforeEach(() => {
  folder = temporaryHome()
  index = new CallIndexStore(new LmdbEnvironment({ path: join(folder, 'calls.mdb'), minFreeBytes: 0 }))
})
afterEach(async () => {
  await index.close()
  rmSync(folder, { recursive: true, force: true })
})

const addresses = Array.from({ length: 8 }, (_, fill) => new Uint8Array(20).fill(fill + 1))
const hashOf = (number: number): Uint8Array => new Uint8Array(32).fill(number % 251)

interface Ends {
  readonly callers: readonly Uint8Array[]
  readonly callees: readonly Uint8Array[]
}

test('finds the blocks that a scan finds, also after blocks were reverted', async () => {
  const random = createRandom(7)
  const some = (): Uint8Array[] => addresses.filter(() => random.below(9) === 0)
  let chain: Ends[][] = []
  const grow = async (count: number): Promise<void> => {
    const first = chain.length + 1
    const lists = new PostingLists()
    for (let number = first; number < first + count; number++) {
      const transactions = Array.from({ length: random.below(40) }, () => ({
        callers: some(),
        callees: some(),
      }))
      chain.push(transactions)
      lists.add(toCallPostings(number, transactions))
    }
    const newest = chain.length
    await index.append({ oldest: 1, newest, hash: hashOf(newest) }, lists.updates())
  }
  const check = (): void => {
    expect(index.coverage()).toEqual({
      oldest: 1,
      newest: chain.length,
      hash: Buffer.from(hashOf(chain.length)),
    })
    for (let run = 0; run < 40; run++) {
      const [callers, callees] = [some(), some()]
      if (callers.length + callees.length === 0) continue
      const mode = random.pick(['union', 'intersection'] as const)
      const from = 1 + random.below(chain.length)
      const to = from + random.below(chain.length - from + 1)
      const has = (transactions: readonly Ends[], end: keyof Ends, wanted: readonly Uint8Array[]): boolean =>
        transactions.some((each) => each[end].some((address) => wanted.includes(address)))
      const expected = chain.flatMap((transactions, at) => {
        const number = at + 1
        const [isFrom, isTo] = [has(transactions, 'callers', callers), has(transactions, 'callees', callees)]
        const isWanted =
          mode === 'union'
            ? isFrom || isTo
            : (callers.length === 0 || isFrom) && (callees.length === 0 || isTo)
        return number >= from && number <= to && isWanted ? [number] : []
      })
      expect([...index.blocks({ callers, callees, mode }, from, to)]).toEqual(expected)
    }
  }
  for (let step = 0; step < 12; step++) {
    await grow(1 + random.below(60))
    check()
    if (step % 4 !== 3) continue
    chain = chain.slice(0, Math.floor(chain.length / 2))
    await index.revertTo({ oldest: 1, newest: chain.length, hash: hashOf(chain.length) })
    check()
  }
  await index.clear()
  expect(index.coverage()).toBeUndefined()
  expect([...index.blocks({ callers: addresses, callees: [], mode: 'union' }, 1, 1_000)]).toEqual([])
})

test('loses what is about blocks that are not kept, some lists at a time', slow, async () => {
  const lists = new PostingLists()
  const many = Array.from({ length: 3_000 }, (_, each) =>
    Buffer.from(each.toString(16).padStart(40, '0'), 'hex'),
  )
  const [busy = new Uint8Array(20)] = addresses
  for (let number = 1; number <= 60; number++) {
    const callees = many.slice(number * 50 - 50, number * 50)
    // A list with sealed chunks, and lists that are about one block each.
    const transactions = Array.from({ length: 300 }, () => ({ callers: [busy], callees }))
    lists.add(toCallPostings(number, transactions))
  }
  const coverage = { oldest: 1, newest: 60, hash: hashOf(60) }
  await index.append(coverage, lists.updates())
  await index.raise({ ...coverage, oldest: 31 })
  expect(index.coverage()?.oldest).toBe(31)
  let steps = 0
  let next: Uint8Array | undefined
  do {
    next = await index.sweep(31, next)
    steps++
  } while (next !== undefined)
  expect(steps).toBe(2)
  const found = (callers: readonly Uint8Array[], callees: readonly Uint8Array[]): number[] => [
    ...index.blocks({ callers, callees, mode: 'union' }, 1, 60),
  ]
  expect(found([busy], [])).toEqual(Array.from({ length: 30 }, (_, at) => 31 + at))
  expect(found([], many.slice(0, 1_500))).toEqual([])
  expect(found([], many.slice(1_500))).toEqual(Array.from({ length: 30 }, (_, at) => 31 + at))
})
