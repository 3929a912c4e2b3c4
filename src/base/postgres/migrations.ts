import type { TransactionSql } from 'postgres'
import type { DatabaseAccess } from './database.ts'
import { DatabaseError } from './databaseErrors.ts'

export interface Migration {
  /** Counted from 1, without a gap. */
  readonly version: number
  /**
   * The oldest version whose programs work with this one too. While a fleet is upgraded, two versions of the program share a
   * schema.
   */
  readonly compatibleFrom: number
  /** Run in the schema, in one transaction with what else is missing. */
  readonly statements: readonly string[]
}

/** Thrown if a newer release has changed a schema so that this one cannot use it. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError'
}

/** What two programs get that make a schema or a table in the same moment: the second finds it when it asks again. */
const made = ['23505', '42P06', '42P07', '42710', 'XX000']
const maxAttempts = 10

/** Names of schemas are ours or of settings that were checked: they are written into statements. */
const isName = /^[a-z_][a-z0-9_]{0,62}$/

const tryMigrate = (
  database: DatabaseAccess,
  schema: string,
  migrations: readonly Migration[],
  timeoutMs: number,
): Promise<number> =>
  database.transaction(
    async (sql: TransactionSql) => {
      // Those of a large table take longer than what is asked at other times.
      await sql.unsafe(`set local statement_timeout = ${Math.round(timeoutMs)}`)
      const newest = migrations.at(-1)?.version ?? 0
      const known = await sql<{ version: number; compatible_from: number }[]>`
        select version, compatible_from from ${sql(schema)}.schema_version where id = 1 for update`
      const { version, compatible_from: compatibleFrom } = known[0] ?? { version: 0, compatible_from: 0 }
      if (compatibleFrom > newest)
        throw new NewerSchemaError(
          `the schema ${schema} is of version ${version}, which needs a release with version ${compatibleFrom}; this one has ${newest}`,
        )
      const missing = migrations.filter((migration) => migration.version > version)
      const last = missing.at(-1)
      if (last === undefined) return version
      await sql.unsafe(`set local search_path to "${schema}"`)
      for (const { statements } of missing) for (const statement of statements) await sql.unsafe(statement)
      await sql`
        update ${sql(schema)}.schema_version
        set version = ${last.version}, compatible_from = ${last.compatibleFrom} where id = 1`
      return last.version
    },
    { timeoutMs },
  )

const prepare = async (database: DatabaseAccess, schema: string): Promise<void> =>
  database.run(async (sql) => {
    const [row] = await sql<{ found: string | null }[]>`
      select to_regclass(${`"${schema}".schema_version`})::text as found`
    if (row?.found === null) {
      await sql.unsafe(`create schema if not exists "${schema}"`)
      await sql.unsafe(`create table if not exists "${schema}".schema_version
        (id integer primary key, version integer not null, compatible_from integer not null)`)
    }
    await sql`
      insert into ${sql(schema)}.schema_version (id, version, compatible_from) values (1, 0, 0)
      on conflict (id) do nothing`
  })

/**
 * Brings a schema to the newest version that this program knows, under the lock of one row, so that programs that start together do
 * it once. Returns the version that it has, which may be a newer one. Throws a `NewerSchemaError` if that cannot be used.
 */
export const migrate = async (
  database: DatabaseAccess,
  schema: string,
  migrations: readonly Migration[],
  { timeoutMs = 60_000 }: { readonly timeoutMs?: number } = {},
): Promise<number> => {
  if (!isName.test(schema)) throw new Error(`${schema} is not a valid schema name`)
  for (let attempt = 1; ; attempt++) {
    try {
      await prepare(database, schema)
      return await tryMigrate(database, schema, migrations, timeoutMs)
    } catch (error) {
      const isMade = error instanceof DatabaseError && made.includes(error.code)
      if (!isMade || attempt === maxAttempts) throw error
    }
  }
}
