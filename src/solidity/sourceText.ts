import type { SourceFile } from './contractRegistry.ts'
import { type ContractOutline, type Definition, type Outline, type Range, readOutline } from './outline.ts'

/** The largest source that is read for what it defines; of a larger one only lines are known. */
const maxOutlined = 1e6

/** A source file with its lines and what it defines; everything is found when it is first needed. */
export class SourceText {
  readonly path: string
  readonly #content: string
  #bytes: string | undefined
  #lineStarts: readonly number[] | undefined
  #outline: Outline | undefined

  constructor({ path, content }: SourceFile) {
    this.path = path
    this.#content = content
  }

  /** A character for each byte, since compilers count bytes. */
  get #text(): string {
    this.#bytes ??= Buffer.from(this.#content).toString('latin1')
    return this.#bytes
  }

  get outline(): Outline {
    this.#outline ??= readOutline(this.isTooLarge ? '' : this.#text)
    return this.#outline
  }

  get isTooLarge(): boolean {
    return this.size > maxOutlined
  }

  /** Whether it was read for what it defines. */
  get hasOutline(): boolean {
    return this.#outline !== undefined
  }

  get size(): number {
    return this.#text.length
  }

  /** The line of a byte, counted from 1. */
  lineOf(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.#text)
    return lastAt(this.#lineStarts, offset, (start) => start) + 1
  }

  /** The contract that a part is in; undefined if it is in none. */
  contractAt(range: Range): ContractOutline | undefined {
    return partAround(this.outline.contracts, range)
  }

  /** The function, modifier or variable that a part is in. */
  definitionAt(range: Range): Definition | undefined {
    const { definitions } = this.contractAt(range) ?? { definitions: this.outline.functions }
    return partAround(definitions, range)
  }
}

const lineStartsOf = (text: string): readonly number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns the position of the last part that begins at an offset or before it; -1 if there is none. */
const lastAt = <T>(parts: readonly T[], offset: number, startOf: (part: T) => number): number => {
  let [low, high] = [-1, parts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (startOf(parts[middle] as T) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the part that a range is in; the parts are in order and apart from each other. */
const partAround = <T extends Range>(parts: readonly T[], { start, end }: Range): T | undefined => {
  const part = parts[lastAt(parts, start, (one) => one.start)]
  return part !== undefined && end <= part.end ? part : undefined
}
