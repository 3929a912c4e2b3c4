import { entriesOf, memberOf, textOf } from './compilerJson.ts'
import type { ContractJson } from './contractRegistry.ts'

/** What Foundry writes of one contract. It has no sources, but says which ones it was made of. */
export interface FoundryArtifact {
  readonly name: string
  /** The file that the contract is in, and its number in source maps. */
  readonly source: string
  readonly id: number
  /** The files that the compiler read for it, with the hashes of their contents. */
  readonly sources: ReadonlyMap<string, string>
  readonly abi: unknown
  readonly codes: ContractJson['codes']
}

/** Reads an artifact; undefined if it is none of Foundry's, or does not say where its source is. */
export const readFoundryArtifact = (json: object): FoundryArtifact | undefined => {
  const metadata = memberOf(json, 'metadata')
  const [target] = entriesOf(memberOf(memberOf(metadata, 'settings'), 'compilationTarget'))
  const id = memberOf(json, 'id')
  if (target === undefined || typeof id !== 'number') return undefined
  const sources = entriesOf(memberOf(metadata, 'sources')).map(
    ([path, one]) => [path, textOf(memberOf(one, 'keccak256'))] as const,
  )
  const codes = { bytecode: memberOf(json, 'bytecode'), deployed: memberOf(json, 'deployedBytecode') }
  const abi = memberOf(json, 'abi')
  return { name: textOf(target[1]), source: target[0], id, sources: new Map(sources), abi, codes }
}

/** Reads which number each file has in the source maps of a run of the compiler; undefined if a build-info does not say. */
export const readSourceIds = (json: object): ReadonlyMap<number, string> | undefined => {
  const entries = entriesOf(memberOf(json, 'source_id_to_path'))
  return entries.length === 0 ? undefined : new Map(entries.map(([id, path]) => [Number(id), textOf(path)]))
}

/** Returns whether these numbers are those of the run of the compiler that wrote the artifact, as far as it shows. */
export const areIdsOf = (
  ids: ReadonlyMap<number, string>,
  { id, source, sources }: FoundryArtifact,
): boolean => {
  if (ids.get(id) !== source) return false
  const paths = new Set(ids.values())
  return [...sources.keys()].every((path) => paths.has(path))
}
