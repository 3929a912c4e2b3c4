import type { SchemaElement } from 'hyparquet'
import { fromHex } from '../../base/encoding/hex.ts'
import type { Column, ColumnType, Json, RowSink, Table } from '../tables/column.ts'

/** How a type of a column is stored, and what the writer is given for a value. */
interface Storage {
  readonly element: Omit<SchemaElement, 'name'>
  /** Whether a value is a list of what `element` says. */
  readonly isList?: boolean
  readonly convert: (value: unknown) => unknown
}

const maxMicros = 2n ** 63n - 1n
const toMicros = (value: unknown): bigint => {
  const micros = BigInt(value as string) * 1_000_000n
  return micros > maxMicros ? maxMicros : micros
}
const toBytes = (value: unknown): Uint8Array => fromHex(value as string)

/** DuckDB and its kin have no integer of 256 bits: these are decimal text, which they cast to what they have. */
const storages: Readonly<Record<ColumnType, Storage>> = {
  integer: { element: { type: 'INT32' }, convert: Number },
  bigint: { element: { type: 'INT64' }, convert: (value) => BigInt(value as string) },
  count: {
    element: { type: 'INT64', converted_type: 'UINT_64' },
    convert: (value) => BigInt(value as string),
  },
  amount: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
    convert: (value) => BigInt(value as string).toString(),
  },
  boolean: { element: { type: 'BOOLEAN' }, convert: Boolean },
  bytes: { element: { type: 'BYTE_ARRAY' }, convert: toBytes },
  bytesList: {
    element: { type: 'BYTE_ARRAY' },
    isList: true,
    convert: (value) => (value as readonly string[]).map(toBytes),
  },
  text: { element: { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, convert: String },
  json: { element: { type: 'BYTE_ARRAY', converted_type: 'JSON' }, convert: (value) => value },
  time: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MICROS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
    },
    convert: toMicros,
  },
  path: { element: { type: 'INT32' }, isList: true, convert: (value) => value },
}

/** Returns the schema of a table. All may be null but what tells rows apart. */
export const parquetSchema = ({ columns, key }: Table): SchemaElement[] => [
  { name: 'root', num_children: columns.length },
  ...columns.flatMap(({ name, type }): SchemaElement[] => {
    const { element, isList } = storages[type]
    const repetition = key.includes(name) ? 'REQUIRED' : 'OPTIONAL'
    if (isList !== true) return [{ name, ...element, repetition_type: repetition }]
    return [
      { name, converted_type: 'LIST', repetition_type: repetition, num_children: 1 },
      { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', ...element, repetition_type: 'REQUIRED' },
    ]
  }),
]

/** What a value takes beside its bytes. */
const bytesOfValue = 16

const sizeOf = (value: unknown): number =>
  bytesOfValue + (value instanceof Uint8Array || typeof value === 'string' ? value.length : 0)

/** Collects the rows of a table, column by column. */
export class ParquetColumns implements RowSink {
  readonly #columns: readonly Column[]
  readonly #converts: readonly Storage['convert'][]
  #data: unknown[][]
  rows = 0
  /** About how many bytes of memory they take. */
  bytes = 0

  constructor({ columns }: Table) {
    this.#columns = columns
    this.#converts = columns.map(({ type }) => storages[type].convert)
    this.#data = columns.map(() => [])
  }

  add(record: Json): void {
    for (const [index, { from, name }] of this.#columns.entries()) {
      const value = record[from]
      this.#push(index, value === null || value === undefined ? null : this.#convert(index, name, value))
    }
    this.rows++
  }

  /** Adds the rows of another one of the same table. */
  append(others: ParquetColumns): void {
    for (const [index, values] of others.#data.entries())
      for (const value of values) (this.#data[index] as unknown[]).push(value)
    this.rows += others.rows
    this.bytes += others.bytes
  }

  /** Returns the columns with all rows, and is empty again. */
  take(): { readonly name: string; readonly data: unknown[] }[] {
    const taken = this.#columns.map(({ name }, index) => ({ name, data: this.#data[index] as unknown[] }))
    this.#data = this.#columns.map(() => [])
    this.rows = 0
    this.bytes = 0
    return taken
  }

  #convert(index: number, name: string, value: unknown): unknown {
    try {
      return (this.#converts[index] as Storage['convert'])(value)
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`)
    }
  }

  #push(index: number, value: unknown): void {
    ;(this.#data[index] as unknown[]).push(value)
    this.bytes += sizeOf(value)
  }
}
