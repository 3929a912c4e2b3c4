import type { BlockBatch, BlockFacts, BlockTexts } from '../blockBatch.ts'
import type { RowSink, Table } from './column.ts'
import { type AddLog, addRows } from './rows.ts'

/** Some blocks as rows of tables. */
export class RowBatch<S extends RowSink> implements BlockBatch {
  readonly sinks: ReadonlyMap<Table, S>
  readonly #addLog: AddLog | undefined

  constructor(tables: readonly Table[], createSink: (table: Table) => S, addLog?: AddLog) {
    this.#addLog = addLog
    this.sinks = new Map(tables.map((table) => [table, createSink(table)]))
  }

  add(texts: BlockTexts): BlockFacts {
    return addRows(texts, (table) => this.sinks.get(table), this.#addLog)
  }
}
