import { instantiateWasm } from '../../base/threads/builtFiles.ts'
import { fragments } from './fragments.ts'

/** What assembly/index.ts exports. */
interface PackingExports {
  readonly memory: WebAssembly.Memory
  readonly area: WebAssembly.Global
  readonly startsAt: WebAssembly.Global
  readonly dictionaryAt: WebAssembly.Global
  prepare(count: number): void
  begin(at: number): void
  length(): number
  addNumber(value: number): void
  addLiteral(at: number, length: number): number
  add(at: number, length: number): void
  textLength(at: number): number
  pageTextLength(): number
  transactionsRoot(records: number, count: number, table: number, work: number, out: number): void
  receiptsRoot(records: number, count: number, table: number, work: number, out: number): void
  transactionPage(block: number, records: number, count: number, firstIndex: number, page: number): number
  receiptPage(
    block: number,
    records: number,
    count: number,
    firstIndex: number,
    firstLog: number,
    page: number,
    scratch: number,
  ): number
  unpack(from: number, last: number, body: number, out: number, outEnd: number): number
  unpackEntry(at: number, last: number, body: number, out: number, outEnd: number): number
  unpackAll(ends: number, count: number, body: number, last: number, out: number, outEnd: number): number
}

export const packing = instantiateWasm<PackingExports>('packing')

/** Where the memory begins that callers may write to. */
export const area = Number(packing.area.value)
/** The bytes behind a text that its expansion may overwrite, and those behind a row that it may read. */
export const slack = 32

let bytes = Buffer.from(packing.memory.buffer)

/** Returns the memory, after it has grown to have so many bytes for the caller. */
export const reserve = (length: number): Buffer => {
  const missing = area + length - bytes.length
  if (missing <= 0) return bytes
  packing.memory.grow(Math.ceil(missing / 65_536))
  bytes = Buffer.from(packing.memory.buffer)
  return bytes
}

const starts = new Uint32Array(packing.memory.buffer, Number(packing.startsAt.value), fragments.length + 1)
for (const [id, { length }] of fragments.entries()) starts[id + 1] = (starts[id] as number) + length
bytes.write(fragments.join(''), Number(packing.dictionaryAt.value), 'latin1')
packing.prepare(fragments.length)
