import type { Table } from '../tables/column.ts'
import { indexesOf, quoteName } from './schema.ts'
import type { SessionOptions, SqlSession } from './sqlSession.ts'

/** Makes the indexes that queries need, when the backfill is over; each index in a transaction of its own, so that a kill costs one of them. */
export const makeIndexes = async (
  session: SqlSession,
  tables: readonly Table[],
  { schema, say }: SessionOptions,
): Promise<void> => {
  const indexes = indexesOf(tables)
  for (const [at, { table, name, columns, isUnique }] of indexes.entries()) {
    say(`index ${at + 1} of ${indexes.length}: ${name}`)
    const statement = `create ${isUnique ? 'unique ' : ''}index if not exists ${quoteName(name)}
      on ${session.name(table)} (${columns.map(quoteName).join(', ')})`
    await session.run(
      async (sql) => {
        await sql.unsafe("set local maintenance_work_mem = '256MB'")
        await sql.unsafe(statement)
      },
      { takesLong: true },
    )
  }
  await session.run(
    async (sql) => {
      for (const { name } of tables) await sql.unsafe(`analyze ${session.name(name)}`)
      await sql`update ${sql(schema)}.progress set is_indexed = true where id = 1`
    },
    { takesLong: true },
  )
}
