import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openFleetTables, fleetTransaction as transaction } from '../../../test/support/fleetTables.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { FilterRows } from './filterRows.ts'
import { isLost } from './memberRows.ts'
import { isFullPage, pageOf, type SentTransaction } from './sendRows.ts'

const closing: (() => unknown)[] = []

const ids = (rows: readonly { readonly hash: Uint8Array }[]): string[] => rows.map(({ hash }) => toHex(hash))

describe.skipIf(!hasPostgres)(`the tables of a fleet${postgresNote}`, () => {
  let server: PostgresServer

  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.close())
  afterEach(() => {
    for (const close of closing.splice(0)) close()
  })

  const begin = () => openFleetTables(server, closing)

  test('what is added is read on by others in the order in which it was written', async () => {
    const open = await begin()
    const [one, two] = [open('one'), open('two')]
    const [a, b, c] = [transaction(1), transaction(2), transaction(3)]
    await one.sends.add([a, b])
    await two.sends.add([c, a])
    expect(ids(await two.sends.changedAfter(0))).toEqual(ids([a, b, c]))
    expect((await two.sends.changedAfter(0)).map(({ keeper }) => keeper)).toEqual(['one', 'one', 'two'])
    const newest = await one.sends.newest()
    // Only who keeps a transaction writes what became of it.
    await two.sends.end([a.hash], 'gone')
    expect(await two.sends.changedAfter(newest)).toEqual([])
    await one.sends.end([a.hash, b.hash], 'included')
    expect(await one.sends.changedAfter(newest)).toMatchObject([{ state: 'included' }, { state: 'included' }])
    expect(ids(await one.sends.waiting())).toEqual(ids([c]))
    // A transaction that comes back waits again.
    await two.sends.add([a])
    expect(await one.sends.waiting()).toMatchObject([{ keeper: 'two' }, { keeper: 'two' }])
    expect(ids(await one.sends.addedAfter(0, 10, 1_000))).toEqual(ids([a, b, c]))
  })

  test('nobody misses what many write at once', async () => {
    const open = await begin()
    const writers = ['one', 'two', 'three'].map((id) => open(id))
    const reader = open('reader')
    const seen: string[] = []
    let isEnded = false
    const read = async (): Promise<void> => {
      for (let at = 0, isLast = false; !isLast; ) {
        isLast = isEnded
        const rows = await reader.sends.changedAfter(at)
        seen.push(...ids(rows))
        at = rows.at(-1)?.changed ?? at
      }
    }
    const reading = read()
    const written = await Promise.all(
      writers.map(async ({ sends }) => {
        const all: string[] = []
        for (let index = 0; index < 40; index++) {
          const added = [transaction(index), transaction(index)]
          await sends.add(added)
          all.push(...ids(added))
        }
        return all
      }),
    )
    isEnded = true
    await reading
    expect([...seen].sort()).toEqual(written.flat().sort())
  })

  test('what a gateway kept that is gone is taken over once, in the order of its sender', async () => {
    const open = await begin()
    const [one, two, three] = [open('one'), open('two'), open('three')]
    for (const { members } of [one, two, three]) await members.beat({ height: 1 })
    const kept = [transaction(3), transaction(1), transaction(2)]
    await one.sends.add(kept)
    expect(await two.sends.claim()).toEqual([])
    await one.members.leave()
    const claims = await Promise.all([two.sends.claim(), three.sends.claim()])
    expect(claims.flat()).toHaveLength(3)
    const [first] = claims.filter((rows) => rows.length > 0)
    const order = [kept[1], kept[2], kept[0]].flatMap((each) => (each === undefined ? [] : [each]))
    expect(ids(first ?? [])).toEqual(ids(order))
    expect(await one.sends.claim()).toEqual([])
  })

  test('what is lost is taken over once, however many look for it in the same moment', async () => {
    const open = await begin()
    const others = ['two', 'three', 'four'].map((id) => open(id))
    for (const { members } of others) await members.beat({ height: 1 })
    for (let round = 0; round < 40; round++) {
      const gone = open(`gone ${round}`)
      const kept = Array.from({ length: 8 }, (_, nonce) => transaction(nonce, round))
      await gone.sends.add(kept)
      const claims: string[] = []
      for (let tries = 0; claims.length < kept.length && tries < 10; tries++)
        claims.push(
          ...(await Promise.all(others.map(({ sends }) => sends.claim())))
            .flat()
            .map(({ hash }) => toHex(hash)),
        )
      expect(claims.sort()).toEqual([...ids(kept)].sort())
    }
  })

  test('a gateway that does not write that it is there is lost after its lease', async () => {
    const open = await begin()
    const [one, two] = [open('one'), open('two')]
    await one.members.beat({ height: 5, trouble: 'its disk is full' })
    const members = await two.members.beat({ height: 7 })
    expect(members).toMatchObject([
      { id: 'one', name: 'host one', height: 5, trouble: 'its disk is full' },
      { id: 'two', height: 7, trouble: null },
    ])
    expect(members.some(isLost)).toBe(false)
    const kept = transaction(1)
    await one.sends.add([kept])
    await two.database.run(
      (sql) => sql`update members set seen_at = now() - interval '11 s' where id = 'one'`,
    )
    expect((await two.members.beat({ height: 7 })).map(isLost)).toEqual([true, false])
    expect(ids(await two.sends.claim())).toEqual(ids([kept]))
  })

  test('large ones are read and taken over a part at a time', async () => {
    const open = await begin()
    const [one, two] = [open('one'), open('two')]
    const all = Array.from({ length: 6 }, (_, nonce) => transaction(nonce, 1, 1_000_000))
    for (const each of all) await one.sends.add([each])
    const [changed, waiting] = [await two.sends.changedAfter(0), await two.sends.waiting()]
    expect(changed).toHaveLength(5)
    expect(changed.map(({ raw }) => raw.length)).toEqual(new Array(5).fill(1_000_000))
    expect(isFullPage(changed)).toBe(true)
    expect(ids([...waiting, ...(await two.sends.waiting(waiting.at(-1)))])).toEqual(ids(all))
    expect(ids(await two.sends.addedAfter(0, 10, 1_000_001))).toEqual(ids(all.slice(0, 2)))
    expect(ids(await two.sends.hashesAddedAfter(0, 10))).toEqual(ids(all))
    // Whose they are has them.
    expect((await one.sends.changedAfter(0)).map(({ raw }) => raw.length)).toEqual(new Array(6).fill(0))
    expect(ids(await two.sends.claim())).toEqual(ids(all.slice(0, 5)))
    expect(ids(await two.sends.claim())).toEqual(ids(all.slice(5)))
    expect(pageOf(all, ({ raw }) => raw.length)).toHaveLength(5)
  })

  test('what ended long ago is removed, however much it is', async () => {
    const open = await begin()
    const { sends, database } = open('one')
    const kept = [transaction(1), transaction(2)]
    await sends.add(kept)
    await sends.end([(kept[0] as SentTransaction).hash], 'included')
    const added = database.run(
      (sql) => sql`
        insert into sends select sha256(n::text::bytea), '', n, '', 'included', 'one', n, n, now() - interval '2 hours'
        from generate_series(10, 5009) n`,
    )
    expect((await added).count).toBe(5_000)
    await sends.sweep()
    expect(ids(await sends.changedAfter(0)).sort()).toEqual(ids(kept).sort())
  })

  describe('filters', () => {
    const filter = { id: 7n, owner: '10.0.0.1', criteria: '{"kind":"blocks"}', since: 5, next: 5 }

    const openRows = async (timeoutMs = 60_000, patienceMs = 60_000) => {
      const open = await begin()
      return [open('one'), open('two')].map(
        ({ database, sends }) => new FilterRows({ timeoutMs, patienceMs }, { database, sends }),
      ) as [FilterRows, FilterRows]
    }

    test('are answered by any gateway, each step by one of them', async () => {
      const [one, two] = await openRows()
      expect(await one.add(filter, 2)).toBe(true)
      const [here, there] = [await one.use(7n), await two.use(7n)]
      expect(here).toEqual({ ...filter, version: 0 })
      expect(there).toEqual(here)
      if (here === undefined || there === undefined) throw new Error('it is not there')
      const moved = await Promise.all([
        one.move(here, { since: 5, next: 9 }),
        two.move(there, { since: 5, next: 8 }),
      ])
      expect([...moved].sort()).toEqual([false, true])
      expect(await two.use(7n)).toMatchObject({ next: moved[0] ? 9 : 8, version: 1 })
      await one.moveBack(6)
      expect(await two.use(7n)).toMatchObject({ next: 7, since: 5, version: 2 })
      expect(await two.remove(7n)).toBe(true)
      expect(await one.remove(7n)).toBe(false)
      expect(await one.use(7n)).toBeUndefined()
    })

    test('are as many as a client may have over all gateways', async () => {
      const [one, two] = await openRows()
      expect(await one.add({ ...filter, id: 1n }, 2)).toBe(true)
      expect(await two.add({ ...filter, id: 2n }, 2)).toBe(true)
      expect(await one.add({ ...filter, id: 3n }, 2)).toBe(false)
      expect(await one.add({ ...filter, id: 3n, owner: '10.0.0.2' }, 2)).toBe(true)
    })

    test('expire by the clock of the database', async () => {
      const [one, two] = await openRows(0)
      await one.add(filter, 2)
      expect(await two.use(7n)).toBeUndefined()
      expect(await two.move({ ...filter, version: 0 }, { since: 5, next: 9 })).toBe(false)
    })

    test('are not known while the database is away, which is said at once; then they go on', async () => {
      const [one] = await openRows()
      await one.add(filter, 2)
      const known = await one.use(7n)
      await server.kill()
      await expect(one.use(7n)).rejects.toMatchObject({ kind: 'unavailable' })
      await expect(one.use(7n)).rejects.toMatchObject({ kind: 'unavailable' })
      await server.begin()
      // A poll that was under way finds out that it was not written.
      const moved = await one
        .move(known as NonNullable<typeof known>, { since: 5, next: 9 })
        .catch(() => false)
      expect(await one.use(7n)).toMatchObject({ next: moved ? 9 : 5 })
    })
  })
})
