import type { TransactionSql } from 'postgres'
import type { Table } from '../tables/column.ts'
import { quoteName } from './schema.ts'

/** Makes the partitions that blocks are to be written to, and knows which are there. */
export class Partitions {
  readonly #schema: string
  readonly #tables: readonly Table[]
  readonly #blocks: number
  readonly #made = new Set<number>()

  constructor(schema: string, tables: readonly Table[], blocks: number) {
    this.#schema = schema
    this.#tables = tables
    this.#blocks = blocks
  }

  /** Makes those of a range of blocks, in the transaction of its rows. Call `keep` when that is committed. */
  async prepare(sql: TransactionSql, from: number, to: number): Promise<readonly number[]> {
    const missing: number[] = []
    for (let index = Math.floor(from / this.#blocks); index <= Math.floor(to / this.#blocks); index++)
      if (!this.#made.has(index)) missing.push(index)
    for (const index of missing) for (const { name } of this.#tables) await this.#make(sql, name, index)
    return missing
  }

  keep(made: readonly number[]): void {
    for (const index of made) this.#made.add(index)
  }

  /** Forgets which are there, when the server is not where it was left: it may have lost them, with the newest commits. */
  forget(): void {
    this.#made.clear()
  }

  async #make(sql: TransactionSql, table: string, index: number): Promise<void> {
    const [parent, part] = [table, `${table}_p${index}`].map(
      (name) => `${quoteName(this.#schema)}.${quoteName(name)}`,
    ) as [string, string]
    const [found] = await sql<{ found: string | null }[]>`select to_regclass(${part})::text as found`
    if (found?.found != null) return
    // Attached and not made as a part: that would wait for everybody who reads the table.
    await sql.unsafe(`create table ${part} (like ${parent} including all)`)
    const [from, to] = [index * this.#blocks, (index + 1) * this.#blocks]
    await sql.unsafe(`alter table ${parent} attach partition ${part} for values from (${from}) to (${to})`)
  }
}
