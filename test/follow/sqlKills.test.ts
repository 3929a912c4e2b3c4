import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../../src/base/postgres/database.ts'
import { chainTables } from '../../src/follow/tables/tables.ts'
import { TrafficChain } from '../indexers/trafficChain.ts'
import { eventually } from '../support/eventually.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../support/postgres.ts'
import { type Program, runProgram } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { slow } from '../support/slow.ts'
import { expectedRows } from './expectedRows.ts'

const followerKills = Number(process.env.FOLLOWER_KILLS ?? 4)
const databaseKills = Number(process.env.DATABASE_KILLS ?? 2)
const seed = Number(process.env.SEED ?? 20_261_119)
const hour = 3_600_000

describe.skipIf(!hasPostgres)(`kills of a follower and its database${postgresNote}`, slow, () => {
  const random = createRandom(seed)
  let chain: TrafficChain
  let server: PostgresServer
  let follower: Program | undefined

  beforeEach(async () => {
    chain = await TrafficChain.start()
    // A server that is killed has on its disk what it said that it has.
    server = await PostgresServer.start({ settings: ['fsync=on'] })
  })
  afterEach(async () => {
    follower?.child.kill('SIGKILL')
    await follower?.ended()
    follower = undefined
    await server.close()
    await chain.close()
  })

  const start = (): Program => {
    const flags = ['--url', chain.node.http, '--out', server.url(), '--traces', '--poll', '10']
    return runProgram(['follow', ...flags])
  }
  const open = (): Database => {
    const log = { warn: () => {}, info: () => {} } as ConstructorParameters<typeof Database>[0]['log']
    return new Database({ url: server.url(), name: 'test', timeoutMs: 30_000, log })
  }
  /** The numbers of the rows of each table, and how many of them are different. */
  const counts = async (database: Database): Promise<Record<string, readonly [number, number]>> => {
    const found: Record<string, readonly [number, number]> = {}
    for (const { name, key } of chainTables(true)) {
      const [row] = await database.run((sql) =>
        sql.unsafe<{ all: number; different: number }[]>(
          `select count(*)::int as all, count(distinct (${key.join(', ')}))::int as different from chain.${name}`,
        ),
      )
      found[name] = [row?.all ?? 0, row?.different ?? 0]
    }
    return found
  }
  const expectAll = async (): Promise<void> => {
    const head = await chain.head()
    const expected: Record<string, number> = {}
    for (let number = 0; number <= head; number++)
      for (const [table, rows] of await expectedRows(chain.rpc, number, chainTables(true)))
        expected[table] = (expected[table] ?? 0) + rows.length
    const database = open()
    try {
      const isWhole = async (): Promise<boolean> => {
        const [row] = await database.run(
          (sql) => sql<{ next_block: string }[]>`select next_block from chain.progress`,
        )
        return Number(row?.next_block) === head + 1
      }
      await eventually(() => isWhole().catch(() => false)).catch((error: Error) => {
        throw new Error(`${error.message}; it said:\n${follower?.stderr()}`)
      })
      expect(await counts(database)).toEqual(
        Object.fromEntries(Object.entries(expected).map(([table, count]) => [table, [count, count]])),
      )
    } finally {
      database.close()
    }
  }
  /** Lets the chain grow while something happens, from at once to within a few blocks. */
  const grow = async (): Promise<void> => chain.send(1 + random.below(4))
  const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, random.below(1_500)))

  test(`${followerKills} kills of the follower: nothing is there twice, nothing is missing`, {
    timeout: hour,
  }, async () => {
    for (let kill = 0; kill < followerKills; kill++) {
      follower = start()
      await Promise.all([grow(), pause()])
      follower.child.kill('SIGKILL')
      await follower.ended()
    }
    follower = start()
    await expectAll()
  })

  test(`${databaseKills} kills of the database: the follower waits for it, and goes on`, {
    timeout: hour,
  }, async () => {
    follower = start()
    for (let kill = 0; kill < databaseKills; kill++) {
      await Promise.all([grow(), pause()])
      await server.kill()
      await grow()
      await server.begin()
    }
    await expectAll()
    expect(follower.child.exitCode).toBeNull()
    expect(follower.stderr()).toMatch(/the database is away/)
  })

  test('a database that is frozen or full is waited for', { timeout: hour }, async () => {
    follower = start()
    await grow()
    await expectAll()
    server.freeze()
    await grow()
    server.thaw()
    await expectAll()
    const database = open()
    // Its disk refuses all new rows, as one that is full does.
    await database.run(async (sql) => {
      await sql.unsafe(`create function full_disk() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
      await sql.unsafe(
        'create trigger full_disk before insert on chain.logs for each row execute function full_disk()',
      )
      await sql.unsafe(
        'create trigger full_disk before insert on chain.blocks for each row execute function full_disk()',
      )
    })
    await grow()
    await eventually(() => /No space left on device; trying again/.test(follower?.stderr() ?? ''))
    await database.run((sql) => sql.unsafe('drop function full_disk() cascade'))
    database.close()
    await expectAll()
  })
})
