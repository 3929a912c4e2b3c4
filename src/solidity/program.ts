import type { CompiledCode } from './compilerJson.ts'
import type { CompiledContract } from './contractRegistry.ts'
import type { ContractOutline, Definition, Range } from './outline.ts'
import { decodeSourceMap, instructionNumbers, type Jump, type SourceMap } from './sourceMap.ts'
import { type Sources, sourcesOf } from './sources.ts'
import type { SourceText } from './sourceText.ts'

/** What an instruction is of. */
export interface Place extends Range {
  readonly file: SourceText
  readonly contract: ContractOutline | undefined
  /** The function, modifier or variable; undefined for what is of the contract as a whole. */
  readonly definition: Definition | undefined
  /** Whether it is of the definition as a whole: how it is entered and left, and how its arguments are read. */
  readonly isWhole: boolean
}

const programs = new WeakMap<CompiledCode, Program>()

/** Returns the program of a contract's code: that which it runs, or that which creates it. */
export const programOf = (contract: CompiledContract, isCreation: boolean): Program => {
  const code = isCreation ? contract.creation : contract.deployed
  const known = programs.get(code)
  if (known !== undefined) return known
  const made = new Program(code, sourcesOf(contract.compilation))
  programs.set(code, made)
  return made
}

/** A code with where its instructions are in the source. */
export class Program {
  readonly #numbers: Int32Array
  readonly #map: SourceMap
  readonly #sources: Sources

  constructor({ bytes, sourceMap }: CompiledCode, sources: Sources) {
    this.#numbers = instructionNumbers(bytes)
    this.#map = decodeSourceMap(sourceMap, bytes.length)
    this.#sources = sources
  }

  get hasMap(): boolean {
    return this.#map.starts.length > 0
  }

  /** Whether an instruction begins at a place of the code, and not the data of one. */
  isInstruction(pc: number): boolean {
    return (this.#numbers[pc] ?? -1) >= 0
  }

  /** Whether the jump at a place goes into a function or out of one. */
  jumpAt(pc: number): Jump {
    return this.#map.jumps[this.#numbers[pc] ?? -1] ?? '-'
  }

  /** Where an instruction is in the source; undefined for what the compiler made by itself. */
  placeAt(pc: number): Place | undefined {
    const number = this.#numbers[pc] ?? -1
    const start = this.#map.starts[number] ?? -1
    const length = this.#map.lengths[number] ?? -1
    const file = this.#sources.file(this.#map.files[number] ?? -1)
    if (file === undefined || start < 0 || length < 0 || start + length > file.size) return undefined
    const range = { start, end: start + length }
    const contract = file.contractAt(range)
    const definition = file.definitionAt(range)
    const whole = definition ?? contract
    const isWhole = whole === undefined || (whole.start === range.start && whole.end === range.end)
    return { file, contract, definition, isWhole, ...range }
  }
}
