import type { TransactionSql } from 'postgres'
import { isWanted } from '../choice.ts'
import { EventLogs, type EventRows } from '../events/eventRows.ts'
import { CursorMovedError, type Output, type Past, type Place } from '../output.ts'
import type { Table } from '../tables/column.ts'
import { RowBatch } from '../tables/rowBatch.ts'
import { blocks, calls, chainTables } from '../tables/tables.ts'
import { copyInto } from './copyInto.ts'
import { CopyRows } from './copyRows.ts'
import { createEventTables, eventsOf } from './eventTables.ts'
import { makeIndexes } from './makeIndexes.ts'
import { Partitions } from './partitions.ts'
import { numberColumn } from './schema.ts'
import { type Progress, type SessionOptions, SqlSession } from './sqlSession.ts'

type SqlBatch = RowBatch<CopyRows>

export interface SqlOptions extends SessionOptions {
  /** How many blocks a partition has, for a schema that is begun. */
  readonly partitionBlocks: number
  /** The events that get tables of their own; undefined for those that the schema has. */
  readonly events?: readonly EventRows[] | undefined
}

const toPlace = ({ chainId, next, hash, traces, only }: Progress): Place => ({
  ...{ version: 1, chainId, next, hash, traces, ...(only && { only }) },
})

/** A schema of a PostgreSQL database. Rows and the place to go on are written in one transaction. */
export class SqlOutput implements Output<SqlBatch>, Past {
  readonly cursor: Place | undefined
  readonly #session: SqlSession
  readonly #options: SqlOptions
  readonly #partitions: Partitions
  readonly #events: readonly EventRows[]
  readonly #tables: readonly Table[]
  readonly #eventLogs: EventLogs
  #place: Place | undefined
  #first: number
  #isIndexed: boolean

  private constructor(
    options: SqlOptions,
    session: SqlSession,
    progress: Progress | undefined,
    events: readonly EventRows[],
  ) {
    this.#options = options
    this.#events = events
    this.#eventLogs = new EventLogs(events)
    this.#tables = [...chainTables(true), ...events.map(({ table }) => table)]
    this.#session = session
    this.cursor = this.#place = progress && toPlace(progress)
    this.#first = progress?.first ?? 0
    this.#isIndexed = progress?.isIndexed ?? false
    this.#partitions = new Partitions(
      options.schema,
      this.#tables,
      progress?.partitionBlocks ?? options.partitionBlocks,
    )
  }

  static async open(options: SqlOptions): Promise<SqlOutput> {
    const session = await SqlSession.open(options)
    try {
      return await session.run(async (sql, progress) => {
        const events = await eventsOf(sql, options.schema, options.events, progress !== undefined)
        return new SqlOutput(options, session, progress, events)
      })
    } catch (error) {
      session.close()
      throw error
    }
  }

  get past(): Past {
    return this
  }

  /** Events are in the logs of receipts. */
  get needsReceipts(): boolean {
    return this.#events.length > 0
  }

  get first(): number {
    return this.#first
  }

  createBatch(): SqlBatch {
    const { traces, only } = this.#required
    return new RowBatch(
      // The hashes of blocks are needed to take blocks back.
      this.#tables.filter(
        (table) => table === blocks || (isWanted(only, table.name) && (traces || table !== calls)),
      ),
      (table) => new CopyRows(table),
      this.needsReceipts ? (log, topics, sinks) => this.#eventLogs.add(log, topics, sinks) : undefined,
    )
  }

  async write({ sinks }: SqlBatch, _blocks: number, place: Place): Promise<void> {
    const made = await this.#session.run(async (sql, progress) => {
      if (this.#isDone(progress, place)) return []
      const partitions = await this.#partitions.prepare(sql, this.#required.next, place.next - 1)
      for (const [table, rows] of sinks) await copyInto(sql, this.#options.schema, table, rows)
      await this.#move(sql, place)
      return partitions
    })
    this.#partitions.keep(made)
    this.#place = place
  }

  /** Everything is saved as it is written, but where it begins. */
  async save(place: Place): Promise<void> {
    if (this.#place !== undefined) return
    const { chainId, next, traces, only } = place
    const { schema, partitionBlocks } = this.#options
    await this.#session.run(async (sql, progress) => {
      if (progress !== undefined) return
      await createEventTables(sql, schema, this.#events)
      await sql`
        insert into ${sql(schema)}.progress (id, chain_id, first_block, next_block, hash, traces, written, partition_blocks)
        values (1, ${BigInt(chainId).toString()}, ${next}, ${next}, ''::bytea, ${traces},
          ${only?.join(' ') ?? null}, ${partitionBlocks})`
    })
    this.#first = next
    this.#place = place
  }

  async onCaughtUp(): Promise<void> {
    if (this.#isIndexed) return
    await makeIndexes(this.#session, this.#tables, this.#options)
    this.#isIndexed = true
  }

  async hashAt(number: number): Promise<string | undefined> {
    const [row] = await this.#session.run(
      (sql) =>
        sql<{ readonly hash: Buffer }[]>`
          select hash from ${sql(this.#options.schema)}.blocks where number = ${number}`,
    )
    return row && `0x${row.hash.toString('hex')}`
  }

  async takeBack(place: Place): Promise<void> {
    await this.#session.run(async (sql, progress) => {
      if (this.#isDone(progress, place)) return
      for (const table of this.#tables)
        await sql.unsafe(
          `delete from ${this.#session.name(table.name)} where ${numberColumn(table)} >= ${place.next}`,
        )
      await this.#move(sql, place)
    })
    this.#place = place
  }

  async close(): Promise<void> {
    this.#session.close()
  }

  get #required(): Place {
    return this.#place as Place // the first save is before the first write
  }

  /**
   * Returns whether the tables are there already: an earlier try was committed and its response was lost. If they are elsewhere the server
   * has lost the newest commits, or was restored.
   */
  #isDone(progress: Progress | undefined, place: Place): boolean {
    const isAt = ({ next, hash }: Place): boolean => progress?.next === next && progress.hash === hash
    if (isAt(this.#required)) return false
    this.#partitions.forget()
    if (isAt(place)) return true
    if (progress !== undefined) this.#place = toPlace(progress)
    throw new CursorMovedError(progress && toPlace(progress))
  }

  async #move(sql: TransactionSql, { next, hash }: Place): Promise<void> {
    await sql`
      update ${sql(this.#options.schema)}.progress
      set next_block = ${next}, hash = ${Buffer.from(hash.slice(2), 'hex')}, updated = now() where id = 1`
  }
}
