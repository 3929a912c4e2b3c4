import type { TransactionSql } from 'postgres'
import { type AbiItem, abiJson } from '../../base/abi/item.ts'
import { readAbi } from '../../base/abi/parse.ts'
import type { EventRows } from '../events/eventRows.ts'
import { namedEvent, toEvents } from '../events/readEvents.ts'
import { FollowError } from '../followError.ts'
import { quoteName, tableStatements } from './schema.ts'

/**
 * Returns the events that have tables: those of an existing schema, which must be the given ones, or else the given
 * ones. A table that came later would lack the rows of all blocks before.
 */
export const eventsOf = async (
  sql: TransactionSql,
  schema: string,
  given: readonly EventRows[] | undefined,
  isBegun: boolean,
): Promise<readonly EventRows[]> => {
  if (!isBegun) return given ?? []
  const rows = await sql<{ readonly id: string; readonly name: string; readonly abi: unknown }[]>`
    select id, table_name as name, abi from ${sql(schema)}.events order by table_name`
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  // They were written by `createEventTables`, maybe of a release that named tables otherwise.
  const kept = toEvents(rows.map(({ abi }) => readAbi([abi])?.[0] as AbiItem)).map((event) => ({
    ...event,
    table: { ...event.table, name: names.get(event.id) ?? event.table.name },
  }))
  if (given === undefined) return kept
  const idsOf = (events: readonly EventRows[]): string =>
    events
      .map(({ id }) => id)
      .toSorted()
      .join()
  if (idsOf(given) === idsOf(kept)) return kept
  const described = kept.map(namedEvent).join(', ')
  throw new FollowError(
    `the schema ${schema} was begun with ${described === '' ? 'no events' : `the events ${described}`}: ` +
      'leave --abi out to go on with it, or choose another --schema',
  )
}

/** Makes the tables of events, and writes down which they are. */
export const createEventTables = async (
  sql: TransactionSql,
  schema: string,
  events: readonly EventRows[],
): Promise<void> => {
  if (events.length === 0) return
  await sql.unsafe(`set local search_path to ${quoteName(schema)}`)
  for (const { id, event, table } of events) {
    for (const statement of tableStatements(table)) await sql.unsafe(statement)
    await sql`insert into events (table_name, id, abi) values (${table.name}, ${id}, ${sql.json(abiJson(event))})`
  }
}
