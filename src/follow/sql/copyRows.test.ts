import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, PostgresServer, postgresNote } from '../../../test/support/postgres.ts'
import { Database } from '../../base/postgres/database.ts'
import { type ColumnType, column, type Table } from '../tables/column.ts'
import { copyInto } from './copyInto.ts'
import { CopyRows } from './copyRows.ts'
import { sqlTypes } from './schema.ts'

const max = 2n ** 256n - 1n
const hex = (value: bigint): string => `0x${value.toString(16)}`
const numbers = [0n, 1n, 9_999n, 10_000n, 10_001n, 99_990_000n, 10n ** 18n, 10n ** 77n, 2n ** 64n - 1n, max]

/** Values of a type before they are written, and as the server writes them as text. */
const cases: readonly (readonly [ColumnType, unknown, string | null])[] = [
  ...numbers.map((value) => ['amount', hex(value), String(value)] as const),
  ['amount', `0x${'0'.repeat(63)}7`, '7'],
  ['amount', -(2n ** 255n), String(-(2n ** 255n))],
  ['amount', 12, '12'],
  ['amount', null, null],
  ['count', '0xffffffffffffffff', String(2n ** 64n - 1n)],
  ['integer', '0x7fffffff', '2147483647'],
  ['integer', 3, '3'],
  ['bigint', '0x1fffffffffffff', String(2 ** 53 - 1)],
  ['bigint', 2 ** 32 + 5, String(2 ** 32 + 5)],
  ['boolean', true, 'true'],
  ['boolean', false, 'false'],
  ['bytes', '0x', '\\x'],
  ['bytes', '0xABcd01', '\\xabcd01'],
  ['bytes', `0x${'5a'.repeat(70_000)}`, `\\x${'5a'.repeat(70_000)}`],
  ['bytesList', [], '{}'],
  ['bytesList', ['0x01', '0xff'], '{"\\\\x01","\\\\xff"}'],
  ['text', 'zero \0, half \ud800, whole \u{1f600}', 'zero \ufffd, half \ufffd, whole \u{1f600}'],
  ['text', '', ''],
  ['json', [{ address: '0x01', storageKeys: [] }], '[{"address": "0x01", "storageKeys": []}]'],
  ['json', ['\0\ud800'], '["\ufffd\ufffd"]'],
  ['time', '0x65920080', '2024-01-01 00:00:00+00'],
  ['time', '0x0', '1970-01-01 00:00:00+00'],
  ['time', '0xffffffffffffffff', 'infinity'],
  ['path', [], '{}'],
  ['path', [0, 12], '{0,12}'],
]

const tableOf = (type: ColumnType): Table => ({
  name: `of_${type.toLowerCase()}`,
  about: '',
  columns: [column('id', 'integer', 'id', ''), column('value', type, 'value', '')],
  key: ['id'],
  indexes: [],
})

describe.skipIf(!hasPostgres)(`rows by binary COPY${postgresNote}`, () => {
  let server: PostgresServer
  let database: Database
  beforeAll(async () => {
    server = await PostgresServer.start()
    const log = { warn: () => {}, info: () => {} } as ConstructorParameters<typeof Database>[0]['log']
    database = new Database({ url: server.url(), name: 'test', timeoutMs: 20_000, log })
    await database.run(async (sql) => {
      await sql.unsafe("alter database postgres set timezone = 'UTC'")
      for (const type of new Set(cases.map(([each]) => each)))
        await sql.unsafe(
          `create table ${tableOf(type).name} (id integer primary key, value ${sqlTypes[type]})`,
        )
    })
  })
  afterAll(async () => {
    database?.close()
    await server?.close()
  })

  const write = async (type: ColumnType, values: readonly unknown[]): Promise<void> => {
    const rows = new CopyRows(tableOf(type))
    for (const [id, value] of values.entries()) rows.add({ id, value })
    await database.transaction((sql) => copyInto(sql, 'public', tableOf(type), rows))
  }

  test.each([...new Set(cases.map(([type]) => type))])('have the values of type %s', async (type) => {
    const ofType = cases.filter(([each]) => each === type)
    await write(
      type,
      ofType.map(([, value]) => value),
    )
    const found = await database.run(async (sql) => {
      await sql.unsafe("set timezone = 'UTC'")
      return await sql.unsafe<{ value: string | null }[]>(
        `select value::text from ${tableOf(type).name} order by id`,
      )
    })
    expect(found.map(({ value }) => value)).toEqual(ofType.map(([, , expected]) => expected))
  })

  test.each([
    ['bytes', '0x0'],
    ['bytes', '0xzz'],
    ['bytes', `0x${'zz'.repeat(100)}`],
    ['bytes', '0x\u0131\u0131'],
    ['amount', '0x'],
    ['amount', `0x1${'0'.repeat(64)}`],
    ['bigint', '0x20000000000000'],
  ] as const)('reject %s of %s', (type, value) => {
    expect(() => new CopyRows(tableOf(type)).add({ id: 1, value })).toThrow(/^value: not /)
  })

  test('that the server rejects when it has them all fail with its reason', async () => {
    const rows = new CopyRows(tableOf('integer'))
    for (let count = 0; count < 2; count++) rows.add({ id: 1_000, value: count })
    const wrong = database.transaction((sql) => copyInto(sql, 'public', tableOf('integer'), rows))
    await expect(wrong).rejects.toMatchObject({ code: '23505' })
    // The connection is of use again.
    expect(await database.run((sql) => sql`select 1 as one`)).toMatchObject([{ one: 1 }])
  })
})
