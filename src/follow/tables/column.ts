/**
 * What a column holds, and what a value of it is before it is written: a QUANTITY or a number for `integer`, `bigint`, `count` and
 * `amount`, the same in seconds for `time`, DATA for `bytes`. null and undefined are not values.
 */
export type ColumnType =
  /** Up to 31 bits. */
  | 'integer'
  /** Up to 63 bits. */
  | 'bigint'
  /** An unsigned integer of 64 bits, which no signed one holds. */
  | 'count'
  /** An integer of 256 bits; a signed one is a bigint. */
  | 'amount'
  | 'boolean'
  | 'bytes'
  | 'bytesList'
  | 'text'
  /** Anything that JSON can say. */
  | 'json'
  | 'time'
  /** A list of small numbers. */
  | 'path'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** The member of the record that it is made of. */
  readonly from: string
  /** What people read about it. */
  readonly about: string
}

export interface Table {
  readonly name: string
  readonly about: string
  readonly columns: readonly Column[]
  /** The columns that tell its rows apart; the first is the number of the block. */
  readonly key: readonly [string, ...string[]]
  /** What is looked up: the columns of each further index. */
  readonly indexes: readonly (readonly string[])[]
}

/** A record as JSON-RPC has it, with what is added here. */
export type Json = Readonly<Record<string, unknown>>

/** Takes the records of one table. */
export interface RowSink {
  add(record: Json): void
}

/** Returns where the records of a table go; undefined if nobody wants them. */
export type Sinks = (table: Table) => RowSink | undefined

export const column = (name: string, type: ColumnType, from: string, about: string): Column => ({
  name,
  type,
  from,
  about,
})
