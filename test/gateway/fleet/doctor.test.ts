import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../../src/base/postgres/database.ts'
import { migrate } from '../../../src/base/postgres/migrations.ts'
import type { Config } from '../../../src/config/settings/settings.ts'
import { fleetMigrations, fleetSchema } from '../../../src/gateway/fleet/schema.ts'
import { checkDatabase } from '../../../src/service/doctor/database.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../../support/postgres.ts'

const check = (database: string | undefined) => checkDatabase({ gateway: { database } as Config['gateway'] })

test('the doctor says that a database does not answer, and nothing of its password', async () => {
  expect(await check(undefined)).toEqual([])
  const [finding] = await check('postgres://user:pa55word@127.0.0.1:1/name')
  expect(finding).toMatchObject({ check: 'database', level: 'warning' })
  expect(finding?.text).toMatch(/^\S+ cannot be used: /)
  expect(JSON.stringify(finding)).not.toContain('pa55word')
})

describe.skipIf(!hasPostgres)(`the doctor and a database${postgresNote}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.close())

  test('says what schema it has, and whether this release can use it', async () => {
    const url = server.url()
    const ok = (text: string) => [{ check: 'database', level: 'ok', text: expect.stringContaining(text) }]
    expect(await check(url)).toEqual(ok('the first gateway makes its tables'))
    const log = { warn: () => undefined, info: () => undefined }
    const database = new Database({ url, name: 'test', log })
    const version = await migrate(database, fleetSchema, fleetMigrations)
    expect(await check(url)).toEqual(ok(`its schema is of version ${version}`))
    const [newer, needed] = [version + 2, version + 1]
    await database.run(
      (sql) =>
        sql`update ${sql(fleetSchema)}.schema_version set version = ${newer}, compatible_from = ${needed}`,
    )
    database.close()
    expect(await check(url)).toMatchObject([
      { level: 'warning', text: expect.stringContaining(`has version ${newer}, which this release cannot`) },
    ])
  })
})
