import { utf8 } from '../format/hex.ts'

/** A part of a file that an instruction is of; the offsets are bytes of UTF-8. */
interface Span {
  readonly start: number
  readonly length: number
  /** The number of the file; -1 for code that the compiler made by itself. */
  readonly file: number
}

export interface SourceFile {
  readonly id: number
  readonly path: string
  readonly content: string
}

/** Where an instruction is in the source. */
export interface SourcePlace {
  readonly file: SourceFile
  /** The first line, counted from 1. */
  readonly line: number
  readonly lastLine: number
  /** The part of the first line that it is of, in bytes. */
  readonly from: number
  readonly to: number
}

/** A number of a source map; what is none, or negative, is -1. */
const readInteger = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1)

/** Decodes a source map of solc: a field that is empty or missing is that of the instruction before. */
export const decodeSourceMap = (text: string): readonly Span[] => {
  const spans: Span[] = []
  let last: Span = { start: 0, length: 0, file: -1 }
  if (text === '') return spans
  for (const entry of text.split(';')) {
    const [start, length, file] = entry.split(':')
    last = {
      start: start ? readInteger(start) : last.start,
      length: length ? readInteger(length) : last.length,
      file: file ? readInteger(file) : last.file,
    }
    spans.push(last)
  }
  return spans
}

const push1 = 0x60
const push32 = 0x7f

/** The number of the instruction at each place of a code; the data of a push is none. */
export const instructionNumbers = (code: Uint8Array): Int32Array => {
  const numbers = new Int32Array(code.length).fill(-1)
  let number = 0
  for (let pc = 0; pc < code.length; pc++) {
    numbers[pc] = number++
    const op = code[pc] as number
    if (op >= push1 && op <= push32) pc += op - push1 + 1
  }
  return numbers
}

/** Where the lines of a text begin and where it ends, in bytes. */
interface Lines {
  readonly starts: readonly number[]
  readonly end: number
}

const linesOf = (bytes: Uint8Array): Lines => {
  const starts = [0]
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 10) starts.push(at + 1)
  return { starts, end: bytes.length }
}

const lineOf = (starts: readonly number[], offset: number): number => {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] as number) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** The places of a code in its source. */
export class SourcePlaces {
  readonly name: string
  readonly #spans: readonly Span[]
  readonly #numbers: Int32Array
  readonly #files: ReadonlyMap<number, SourceFile>
  readonly #lines = new Map<number, Lines>()

  constructor(name: string, map: string, code: Uint8Array, files: readonly SourceFile[]) {
    this.name = name
    this.#spans = decodeSourceMap(map)
    this.#numbers = instructionNumbers(code)
    this.#files = new Map(files.map((file) => [file.id, file]))
  }

  at(pc: number): SourcePlace | undefined {
    const span = this.#spans[this.#numbers[pc] ?? -1]
    const file = span && this.#files.get(span.file)
    if (span === undefined || file === undefined) return undefined
    const { starts, end: size } = this.#linesOf(file)
    if (span.start < 0 || span.length < 0 || span.start + span.length > size) return undefined
    const line = lineOf(starts, span.start)
    const lastLine = lineOf(starts, Math.max(span.start, span.start + span.length - 1))
    const begin = starts[line] ?? 0
    const end = line === lastLine ? span.start + span.length : (starts[line + 1] ?? Number.MAX_SAFE_INTEGER)
    return { file, line: line + 1, lastLine: lastLine + 1, from: span.start - begin, to: end - begin }
  }

  #linesOf(file: SourceFile): Lines {
    const known = this.#lines.get(file.id)
    if (known !== undefined) return known
    const lines = linesOf(utf8(file.content))
    this.#lines.set(file.id, lines)
    return lines
  }
}
