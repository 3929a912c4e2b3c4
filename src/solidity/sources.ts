import type { Compilation, CompiledContract } from './contractRegistry.ts'
import type { ContractOutline, Definition } from './outline.ts'
import { SourceText } from './sourceText.ts'

/** A contract, or what it defines, in its file. */
export interface Located<T> {
  readonly file: SourceText
  readonly contract: ContractOutline
  readonly found: T
}

/** How much source is read, in bytes, in search of contracts whose file is not known. */
const maxSearched = 4e6
/** The most contracts that are searched for what one of them inherits. */
const maxBases = 256

/** The sources of a run of the compiler, with what they define. */
export class Sources {
  readonly #files: readonly SourceText[]
  readonly #byId: ReadonlyMap<number, SourceText>
  readonly #byPath: ReadonlyMap<string, SourceText>
  readonly #elsewhere = new Map<string, Located<ContractOutline> | undefined>()
  #searched = 0

  constructor({ files }: Compilation) {
    this.#files = files.map((file) => new SourceText(file))
    this.#byId = new Map(files.map(({ id }, at) => [id, this.#files[at] as SourceText]))
    this.#byPath = new Map(this.#files.map((file) => [file.path, file]))
  }

  /** Returns the file with a number of the source maps. */
  file(id: number): SourceText | undefined {
    return this.#byId.get(id)
  }

  /** Returns where a contract is in its source. */
  contract({ name, source }: CompiledContract): Located<ContractOutline> | undefined {
    const file = this.#byPath.get(source)
    return file && locateIn(file, name)
  }

  /** Returns what a contract defines or inherits: the definition of the contract that overrides the others. */
  definition(
    compiled: CompiledContract,
    isWanted: (definition: Definition) => boolean,
  ): Located<Definition> | undefined {
    const visited = new Set<ContractOutline>()
    const left = [() => this.contract(compiled)]
    while (left.length > 0 && visited.size < maxBases) {
      const at = left.pop()?.()
      if (at === undefined || visited.has(at.contract)) continue
      visited.add(at.contract)
      const found = at.contract.definitions.find(isWanted)
      if (found !== undefined) return { ...at, found }
      // The last of the bases is the one that was derived last.
      for (const base of at.contract.bases.slice(0, maxBases))
        left.push(() => locateIn(at.file, base) ?? this.#search(base))
    }
    return undefined
  }

  /** Returns the contract with a name, in whichever file it is. */
  #search(name: string): Located<ContractOutline> | undefined {
    if (this.#elsewhere.has(name)) return this.#elsewhere.get(name)
    let found: Located<ContractOutline> | undefined
    for (const file of this.#files) {
      if (found !== undefined || this.#searched > maxSearched) break
      if (!file.hasOutline) this.#searched += file.size
      found = locateIn(file, name)
    }
    this.#elsewhere.set(name, found)
    return found
  }
}

const known = new WeakMap<Compilation, Sources>()

export const sourcesOf = (compilation: Compilation): Sources => {
  const sources = known.get(compilation) ?? new Sources(compilation)
  known.set(compilation, sources)
  return sources
}

const locateIn = (file: SourceText, name: string): Located<ContractOutline> | undefined => {
  const contract = file.outline.contracts.find((one) => one.name === name)
  return contract && { file, contract, found: contract }
}
