import type { CompiledContract } from './contractRegistry.ts'
import type { ContractOutline, Definition } from './outline.ts'
import { sourcesOf } from './program.ts'
import type { SourceText } from './sourceText.ts'

/** A contract, or what it defines, in its file. */
export interface Located<T> {
  readonly file: SourceText
  readonly contract: ContractOutline
  readonly found: T
}

/** Returns where a contract is in its source. */
export const locateContract = ({
  name,
  source,
  compilation,
}: CompiledContract): Located<ContractOutline> | undefined => {
  for (const file of sourcesOf(compilation).values()) if (file.path === source) return locateIn(file, name)
  return undefined
}

const locateIn = (file: SourceText, name: string): Located<ContractOutline> | undefined => {
  const contract = file.outline.contracts.find((one) => one.name === name)
  return contract && { file, contract, found: contract }
}

/** Returns what a contract defines or inherits: the definition of the contract that overrides the others. */
export const locateDefinition = (
  compiled: CompiledContract,
  isWanted: (definition: Definition) => boolean,
): Located<Definition> | undefined => {
  const files = [...sourcesOf(compiled.compilation).values()]
  const visited = new Set<ContractOutline>()
  const search = (at: Located<ContractOutline> | undefined): Located<Definition> | undefined => {
    if (at === undefined || visited.has(at.contract)) return undefined
    visited.add(at.contract)
    const found = at.contract.definitions.find(isWanted)
    if (found !== undefined) return { ...at, found }
    // The last of the bases is the one that was derived last.
    for (const base of at.contract.bases.toReversed()) {
      const inherited = search([at.file, ...files].map((file) => locateIn(file, base)).find(Boolean))
      if (inherited !== undefined) return inherited
    }
    return undefined
  }
  return search(locateContract(compiled))
}
