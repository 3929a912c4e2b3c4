import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../test/support/eventually.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { DatabaseAwayError, DatabaseError } from './databaseErrors.ts'
import { type Migration, migrate, NewerSchemaError } from './migrations.ts'

const closing: (() => unknown)[] = []
const lines: string[] = []
const write = (members: object, message?: string): void => {
  lines.push(`${message} ${JSON.stringify(members)}`)
}
const log = { warn: write, info: write } as DatabaseOptions['log']

const open = (url: string, options: Partial<DatabaseOptions> = {}): Database => {
  const database = new Database({ url, name: 'test', log, timeoutMs: 500, connectTimeoutMs: 500, ...options })
  closing.push(() => database.close())
  return database
}

const one = (database: Database): Promise<number | undefined> =>
  database.run(async (sql) => (await sql<{ n: number }[]>`select ${1}::int as n`)[0]?.n)

const isHere = (database: Database) => async () => (await one(database).catch(() => undefined)) === 1

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  lines.length = 0
})

describe('a server that is not PostgreSQL', () => {
  test('refuses connections: the database is away at once, and says why', async () => {
    const database = open('postgres://ann:secretive@127.0.0.1:1/x')
    await expect(one(database)).rejects.toThrow(/ECONNREFUSED/)
    await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    expect(database.awayReason).toMatch(/ECONNREFUSED/)
    expect(lines.join()).not.toContain('secretive')
  })

  test.each([
    ['hangs up', true],
    ['says nothing', false],
  ])('%s: the database is away after the time to connect', async (_, hangsUp) => {
    let count = 0
    const server = createServer((socket) => {
      count++
      socket.on('error', () => undefined)
      if (hangsUp) socket.destroy()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    closing.push(() => server.close())
    const { port } = server.address() as { port: number }
    const database = open(`postgres://ann:secretive@127.0.0.1:${port}/x`)
    await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    // A server that hangs up is not asked as fast as the loop runs.
    expect(count).toBeLessThan(50)
    expect(lines.join()).not.toContain('secretive')
  })
})

describe.skipIf(!hasPostgres)(`a PostgreSQL server${postgresNote}`, () => {
  let server: PostgresServer

  beforeEach(async () => {
    server = await PostgresServer.start()
    return () => server.close()
  })

  test('that is killed and started again is away, and here again by itself', async () => {
    const database = open(server.url())
    let times = 0
    database.onBack(() => times++)
    expect(await one(database)).toBe(1)
    await server.kill()
    await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    await server.begin()
    await eventually(isHere(database))
    expect(database.awayReason).toBeUndefined()
    expect(times).toBe(2)
    expect(lines.filter((line) => line.startsWith('the database is away'))).toHaveLength(1)
    expect(lines.at(-1)).toMatch(/^the database is here/)
  })

  test('that is frozen is away after the timeout, rejects at once from then on, and is here again', async () => {
    const database = open(server.url())
    expect(await one(database)).toBe(1)
    server.freeze()
    await expect(one(database)).rejects.toThrow('did not answer within 500 ms')
    const startedAt = performance.now()
    for (let index = 0; index < 100; index++)
      await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    // A call that waited would take 500 ms.
    expect(performance.now() - startedAt).toBeLessThan(100 * 50)
    server.thaw()
    await eventually(isHere(database))
  })

  test('with a statement that is too slow is here: only the statement fails', async () => {
    const database = open(server.url())
    await one(database)
    const slow = database.run((sql) => sql`select pg_sleep(60)`)
    const others = (async () => {
      while (!(await Promise.race([slow.then(Boolean, () => true), one(database).then(() => false)])));
    })()
    await expect(slow).rejects.toBeInstanceOf(DatabaseAwayError)
    await others
    expect(database.awayReason).toBeUndefined()
    expect(await one(database)).toBe(1)
  })

  test('ends our connections: they are made again', async () => {
    const database = open(server.url())
    await one(database)
    const other = open(server.url(), { name: 'other' })
    await other.run(
      (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test'`,
    )
    await eventually(isHere(database))
  })

  test('rejects a statement: the error has the code and is not an absence', async () => {
    const database = open(server.url())
    const wrong = database.run((sql) => sql`select * from nowhere`)
    await expect(wrong).rejects.toBeInstanceOf(DatabaseError)
    await expect(wrong).rejects.toMatchObject({ code: '42P01' })
    expect(database.awayReason).toBeUndefined()
    await expect(database.run(() => Promise.reject(new RangeError('mine')))).rejects.toBeInstanceOf(
      RangeError,
    )
  })

  test('does transactions whole or not at all, and again if the server gave one up for another', async () => {
    const database = open(server.url())
    await database.run((sql) => sql`create table counts (id int primary key, n int not null)`)
    await database.run((sql) => sql`insert into counts values (1, 0)`)
    const fail = database.transaction(async (sql) => {
      await sql`update counts set n = 100`
      throw new Error('changed its mind')
    })
    await expect(fail).rejects.toThrow('changed its mind')
    const add = (): Promise<unknown> =>
      database.transaction(async (sql) => {
        await sql`set transaction isolation level serializable`
        const [row] = await sql<{ n: number }[]>`select n from counts where id = 1`
        await sql`update counts set n = ${(row?.n ?? 0) + 1} where id = 1`
      })
    await Promise.all([add(), add()])
    expect(await database.run((sql) => sql`select n from counts`)).toMatchObject([{ n: 2 }])
  })

  test('without room for a connection is away until there is', async () => {
    await server.stop()
    await server.close()
    server = await PostgresServer.start({
      settings: ['max_connections=4', 'superuser_reserved_connections=0', 'max_wal_senders=0'],
    })
    const others = open(server.url(), { maxConnections: 4 })
    // Each waits until all four connections are open, which then stay so until it is closed.
    const untilAllAreThere = `do $$ begin
      while (select count(*) from pg_stat_activity where backend_type = 'client backend') < 4 loop
        perform pg_sleep(0.01);
        perform pg_stat_clear_snapshot();
      end loop;
    end $$`
    await others.run((sql) => Promise.all([1, 2, 3, 4].map(() => sql.unsafe(untilAllAreThere))))
    const database = open(server.url())
    await expect(one(database)).rejects.toThrow(/too many clients|remaining connection slots/)
    others.close()
    await eventually(isHere(database))
  })

  test('fails over to its standby, the second host of the URL', async () => {
    const standby = await PostgresServer.start({ standbyOf: server })
    closing.push(() => standby.close())
    // The standby is passed over while it takes no writes, wherever it stands.
    const database = open(`postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${server.port}/postgres`)
    await database.run((sql) => sql`create table kept (id int)`)
    await database.run((sql) => sql`insert into kept values (7)`)
    const position = await database.run((sql) => sql<{ at: string }[]>`select pg_current_wal_lsn() as at`)
    const watcher = open(standby.url(), { name: 'watcher' })
    await expect(one(watcher)).rejects.toThrow('it takes no writes')
    await standby.waitFor(position[0]?.at ?? '')
    await server.kill()
    await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    await standby.promote()
    await eventually(isHere(database))
    expect(await database.run((sql) => sql`select id from kept`)).toMatchObject([{ id: 7 }])
    await eventually(isHere(watcher))
  })

  test('is given no connection after a close, and has none of ours', async () => {
    const database = open(server.url())
    await one(database)
    const pending = database.run((sql) => sql`select pg_sleep(60)`)
    pending.catch(() => undefined)
    database.close()
    await expect(pending).rejects.toBeInstanceOf(DatabaseAwayError)
    await expect(one(database)).rejects.toBeInstanceOf(DatabaseAwayError)
    const other = open(server.url(), { name: 'other' })
    const count = async (): Promise<number | undefined> =>
      (
        await other.run(
          (sql) =>
            sql<
              { n: number }[]
            >`select count(*)::int as n from pg_stat_activity where application_name = 'test'`,
        )
      )[0]?.n
    await eventually(async () => (await count()) === 0)
  })

  describe('migrations', () => {
    const first: Migration = {
      version: 1,
      compatibleFrom: 1,
      statements: ['create table things (id integer primary key)'],
    }
    const second: Migration = {
      version: 2,
      compatibleFrom: 1,
      statements: ['alter table things add column name text', "insert into things values (1, 'one')"],
    }

    test('are done once by many that begin together', async () => {
      const databases = Array.from({ length: 5 }, () => open(server.url(), { timeoutMs: 10_000 }))
      const versions = await Promise.all(databases.map((each) => migrate(each, 'fleet', [first, second])))
      expect(versions).toEqual([2, 2, 2, 2, 2])
      expect(await databases[0]?.run((sql) => sql`select * from fleet.things`)).toMatchObject([
        { name: 'one' },
      ])
    })

    test('leave an older program at work where they say so, and reject it in one line where not', async () => {
      const database = open(server.url(), { timeoutMs: 10_000 })
      expect(await migrate(database, 'fleet', [first])).toBe(1)
      expect(await migrate(database, 'fleet', [first, second])).toBe(2)
      expect(await migrate(database, 'fleet', [first])).toBe(2)
      const third: Migration = { version: 3, compatibleFrom: 3, statements: ['drop table things'] }
      expect(await migrate(database, 'fleet', [first, second, third])).toBe(3)
      await expect(migrate(database, 'fleet', [first, second])).rejects.toBeInstanceOf(NewerSchemaError)
    })

    test('that fail leave nothing', async () => {
      const database = open(server.url(), { timeoutMs: 10_000 })
      const wrong: Migration = {
        ...second,
        statements: ['create table other (id integer)', 'select nonsense'],
      }
      await expect(migrate(database, 'fleet', [first, wrong])).rejects.toMatchObject({ code: '42703' })
      expect(await migrate(database, 'fleet', [first])).toBe(1)
    })
  })
})
