import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { TraceOutput } from '../../../evm/tracers/output.ts'
import { maxShownMemory, type PieceRange, StepPiece } from '../../../evm/tracers/steps/stepPiece.ts'
import {
  flag,
  maxStackBytes,
  mirrorBytes,
  type RecordTail,
  type StepRecordFile,
  tailPointerBytes,
  wholeEvery,
} from './recordFormat.ts'

const addressBytes = 20

/**
 * Writes a piece from a record. What comes back otherwise, with nothing written: there is no record of this transaction,
 * or it ends before the piece.
 */
export const writeRecordedPiece = (
  { path, key }: StepRecordFile,
  range: PieceRange,
  output: TraceOutput,
): 'written' | 'none' | 'too short' => {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch {
    return 'none'
  }
  try {
    const found = readTail(file, key)
    if (found === undefined) return 'none'
    const { tail, tailAt } = found
    const until = Math.min(range.from + range.count, tail.total)
    if (until > tail.recorded && range.from < tail.total) return 'too short'
    const piece = new StepPiece(range, output)
    if (range.from < until) {
      const block = Math.floor(range.from / wholeEvery)
      const start = tail.index[block] ?? tailAt
      const end = tail.index[Math.ceil(until / wholeEvery)] ?? tailAt
      const reader = new StepReader(readPart(file, start, end - start))
      for (let index = block * wholeEvery; index < until; index++) {
        reader.next()
        if (piece.has(index)) piece.write(reader, reader.code, index)
      }
    }
    piece.end(tail)
    return 'written'
  } finally {
    closeSync(file)
  }
}

const readPart = (file: number, at: number, size: number): Buffer => {
  const bytes = Buffer.alloc(size)
  for (let read = 0; read < size; ) {
    const count = readSync(file, bytes, read, size - read, at + read)
    if (count === 0) throw new Error('the record of the steps ends too early')
    read += count
  }
  return bytes
}

const readTail = (
  file: number,
  key: Uint8Array,
): { readonly tail: RecordTail; readonly tailAt: number } | undefined => {
  const pointerAt = fstatSync(file).size - tailPointerBytes - key.length
  if (pointerAt < 0) return undefined
  const end = readPart(file, pointerAt, tailPointerBytes + key.length)
  if (!end.subarray(tailPointerBytes).equals(key)) return undefined
  const tailAt = end.readDoubleLE()
  // This program wrote it.
  const tail = JSON.parse(readPart(file, tailAt, pointerAt - tailAt).toString()) as RecordTail
  return { tail, tailAt }
}

/** Goes through the steps of a part of a record, which begins with a whole one. */
class StepReader {
  pc = 0
  op = 0
  gas = 0n
  cost = 0n
  depth = 0
  address: Uint8Array = new Uint8Array(addressBytes)
  code: Uint8Array | undefined
  message: string | undefined
  stackSize = 0
  memorySize = 0
  readonly raw = { bytes: new Uint8Array(mirrorBytes), stackAt: 0, memoryAt: maxStackBytes }
  readonly #part: Buffer
  #at = 0

  constructor(part: Buffer) {
    this.#part = part
  }

  next(): void {
    const flags = this.#byte()
    this.op = this.#byte()
    this.pc = this.#number()
    this.gas = BigInt(this.#number())
    this.cost = BigInt(this.#number())
    this.message = flags & flag.hasMessage ? this.#bytes(this.#number()).toString() : undefined
    if (flags & flag.isWhole) this.#whole((flags & flag.isCreation) !== 0)
    else this.#difference((flags & flag.hasMemory) !== 0)
  }

  #whole(isCreation: boolean): void {
    this.depth = this.#number()
    this.address = this.#bytes(addressBytes)
    this.code = isCreation ? undefined : this.#bytes(addressBytes)
    this.#words(0, this.#number())
    this.memorySize = this.#number()
    const memory = this.#bytes(this.#number())
    this.raw.bytes.fill(0, maxStackBytes)
    this.raw.bytes.set(memory, maxStackBytes)
  }

  #difference(hasMemory: boolean): void {
    this.#words(this.#number(), this.#number())
    if (!hasMemory) return
    this.memorySize = this.#number()
    const from = Math.min(this.#number(), maxShownMemory)
    this.raw.bytes.set(this.#bytes(this.#number()), maxStackBytes + from)
  }

  #words(from: number, count: number): void {
    const { bytes } = this.raw
    for (let word = from; word < from + count; word++) {
      const value = this.#bytes(this.#byte())
      bytes.fill(0, 32 * word, 32 * word + 32)
      bytes.set(value, 32 * word)
    }
    this.stackSize = from + count
  }

  #byte(): number {
    return this.#part[this.#at++] ?? 0
  }

  #number(): number {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#byte()
      value += (byte & 127) * unit
      if (byte < 128) return value
    }
  }

  #bytes(size: number): Buffer {
    this.#at += size
    return this.#part.subarray(this.#at - size, this.#at)
  }
}
