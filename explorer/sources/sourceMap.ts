import { decodeSourceMap, instructionNumbers, type SourceMap } from '../../src/solidity/sourceMap.ts'
import { utf8 } from '../format/hex.ts'

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
  readonly #map: SourceMap
  readonly #numbers: Int32Array
  readonly #files: ReadonlyMap<number, SourceFile>
  readonly #lines = new Map<number, Lines>()

  constructor(name: string, map: string, code: Uint8Array, files: readonly SourceFile[]) {
    this.name = name
    this.#map = decodeSourceMap(map, code.length)
    this.#numbers = instructionNumbers(code)
    this.#files = new Map(files.map((file) => [file.id, file]))
  }

  at(pc: number): SourcePlace | undefined {
    const number = this.#numbers[pc] ?? -1
    const start = this.#map.starts[number] ?? -1
    const length = this.#map.lengths[number] ?? -1
    const file = this.#files.get(this.#map.files[number] ?? -1)
    if (file === undefined || start < 0 || length < 0) return undefined
    const { starts, end: size } = this.#linesOf(file)
    if (start + length > size) return undefined
    const line = lineOf(starts, start)
    const lastLine = lineOf(starts, Math.max(start, start + length - 1))
    const begin = starts[line] ?? 0
    const end = line === lastLine ? start + length : (starts[line + 1] ?? Number.MAX_SAFE_INTEGER)
    return { file, line: line + 1, lastLine: lastLine + 1, from: start - begin, to: end - begin }
  }

  #linesOf(file: SourceFile): Lines {
    const known = this.#lines.get(file.id)
    if (known !== undefined) return known
    const lines = linesOf(utf8(file.content))
    this.#lines.set(file.id, lines)
    return lines
  }
}
