import type { Column, ColumnType, Json, RowSink, Table } from '../tables/column.ts'
import { CopyBuffer } from './copyBuffer.ts'
import { writeNumeric } from './copyNumeric.ts'

const header = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
const noValue = -1
const endOfRows = -1
/** PostgreSQL counts from 2000-01-01. */
const firstSecond = 946_684_800
/** The end of what a timestamp can say, in seconds from 1970; what is later is at infinity. */
const lastSecond = 9_224_318_016_000
const infinity = 2n ** 63n - 1n
const byteaType = 17
const integerType = 23
const jsonbVersion = 1

type Encode = (to: CopyBuffer, value: unknown) => void

const toNumber = (value: unknown): number => {
  const number = typeof value === 'number' ? value : Number(value as string)
  if (!Number.isSafeInteger(number)) throw new Error(`not a number of 53 bits: ${String(value).slice(0, 80)}`)
  return number
}

/** PostgreSQL keeps no zero byte in a text, and no half of a character. */
const toStorable = (text: string): string => text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')

const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? toStorable(inner) : inner))

const writeList = (
  to: CopyBuffer,
  items: readonly unknown[],
  type: number,
  writeItem: (item: unknown) => void,
): void => {
  const start = to.length
  to.int32(0)
  to.int32(items.length === 0 ? 0 : 1)
  to.int32(0)
  to.int32(type)
  if (items.length > 0) {
    to.int32(items.length)
    to.int32(1)
    for (const item of items) writeItem(item)
  }
  to.bytes.writeInt32BE(to.length - start - 4, start)
}

const writeInteger: Encode = (to, value) => {
  to.int32(4)
  to.int32(toNumber(value))
}

const encoders: Readonly<Record<ColumnType, Encode>> = {
  integer: writeInteger,
  bigint: (to, value) => {
    to.int32(8)
    to.int64(toNumber(value))
  },
  count: writeNumeric,
  amount: writeNumeric,
  boolean: (to, value) => {
    to.int32(1)
    to.byte(value === true ? 1 : 0)
  },
  bytes: (to, value) => to.hex(value as string),
  bytesList: (to, value) =>
    writeList(to, value as readonly unknown[], byteaType, (item) => to.hex(item as string)),
  text: (to, value) => to.text(toStorable(value as string)),
  json: (to, value) => {
    const text = Buffer.from(storableJson(value))
    to.int32(1 + text.length)
    to.byte(jsonbVersion)
    to.append(text)
  },
  time: (to, value) => {
    const seconds = Number(value as string)
    to.int32(8)
    if (seconds >= lastSecond) to.bigint64(infinity)
    else to.bigint64(BigInt(seconds - firstSecond) * 1_000_000n)
  },
  path: (to, value) =>
    writeList(to, value as readonly unknown[], integerType, (item) => writeInteger(to, item)),
}

/** Encodes rows of one table for PostgreSQL's binary COPY. */
export class CopyRows implements RowSink {
  readonly #columns: readonly Column[]
  readonly #encoders: readonly Encode[]
  readonly #to = new CopyBuffer()
  #isFinished = false
  rows = 0

  constructor({ columns }: Table) {
    this.#columns = columns
    this.#encoders = columns.map(({ type }) => encoders[type])
    this.#to.append(header)
  }

  add(record: Json): void {
    const [columns, to] = [this.#columns, this.#to]
    this.rows++
    to.int16(columns.length)
    for (let index = 0; index < columns.length; index++) {
      const { from, name } = columns[index] as Column
      const value = record[from]
      if (value === undefined || value === null) {
        to.int32(noValue)
        continue
      }
      try {
        ;(this.#encoders[index] as Encode)(to, value)
      } catch (error) {
        throw new Error(`${name}: ${(error as Error).message}`)
      }
    }
  }

  /** Ends the rows and returns all bytes; the same ones each time. */
  finish(): Buffer {
    if (!this.#isFinished) this.#to.int16(endOfRows)
    this.#isFinished = true
    return this.#to.bytes
  }
}
