import type { SourceFile } from './contractRegistry.ts'
import { type ContractOutline, type Definition, type Outline, type Range, readOutline } from './outline.ts'

/** A source file with its lines and what it defines; everything is found when it is first asked for. */
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
    this.#outline ??= readOutline(this.#text)
    return this.#outline
  }

  get size(): number {
    return this.#text.length
  }

  /** The line of a byte, counted from 1. */
  lineOf(offset: number): number {
    this.#lineStarts ??= [0, ...[...this.#text.matchAll(/\n/g)].map(({ index }) => index + 1)]
    let [low, high] = [0, this.#lineStarts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((this.#lineStarts[middle] as number) <= offset) low = middle
      else high = middle - 1
    }
    return low + 1
  }

  /** The contract that a part is in; undefined if it is in none. */
  contractAt(range: Range): ContractOutline | undefined {
    return this.outline.contracts.find((contract) => contains(contract, range))
  }

  /** The function, modifier or variable that a part is in. */
  definitionAt(range: Range): Definition | undefined {
    const { definitions } = this.contractAt(range) ?? { definitions: this.outline.functions }
    return definitions.find((definition) => contains(definition, range))
  }
}

const contains = (outer: Range, inner: Range): boolean => outer.start <= inner.start && inner.end <= outer.end
