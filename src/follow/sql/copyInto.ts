import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { TransactionSql } from 'postgres'
import type { Table } from '../tables/column.ts'
import type { CopyRows } from './copyRows.ts'
import { quoteName } from './schema.ts'

const chunkBytes = 2 ** 20

/** The package has it, and its types do not. */
interface Rejectable {
  reject: (error: unknown) => void
}

/** Writes rows to their table, by binary COPY. */
export const copyInto = async (
  sql: TransactionSql,
  schema: string,
  { name, columns }: Table,
  rows: CopyRows,
): Promise<void> => {
  if (rows.rows === 0) return
  const names = columns.map((column) => quoteName(column.name)).join(', ')
  const query = sql.unsafe(
    `copy ${quoteName(schema)}.${quoteName(name)} (${names}) from stdin (format binary)`,
  )
  const failed = onReject(query as unknown as Rejectable)
  const target = await query.writable()
  const bytes = rows.finish()
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes))
  await Promise.race([pipeline(Readable.from(chunks), target), failed])
}

/**
 * Returns a promise that fails with the query. The query itself has its result when the server takes rows; what it says when it has
 * them all, such as a full disk, would reach nobody, and the stream would never end.
 */
const onReject = (query: Rejectable): Promise<never> => {
  const { reject } = query
  const failed = new Promise<never>((_, fail) => {
    query.reject = (error) => {
      reject(error)
      fail(error)
    }
  })
  failed.catch(() => undefined)
  return failed
}
