import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { readConfinedFile } from '../../base/files/confinedFile.ts'
import { memberOf } from '../../solidity/compilerJson.ts'
import { type ContractRegistry, type SourceFile, toCompilation } from '../../solidity/contractRegistry.ts'
import {
  areIdsOf,
  type FoundryArtifact,
  fromFoundry,
  readFoundryArtifact,
  readSourceIds,
} from '../../solidity/foundryArtifact.ts'
import { type ArtifactFile, artifactLimits, listArtifacts, parseJsonInSlices } from './artifactFiles.ts'

/** The largest source that is read. */
const maxSourceBytes = 4e6

type SourceIds = ReadonlyMap<number, string>

/** Reads what changed in a folder of artifacts since it was last looked at: those of Foundry, or the build-infos of Hardhat. */
export class ArtifactReader {
  readonly #folder: string
  readonly #contracts: ContractRegistry
  readonly #onMalformed: (path: string, error: Error) => void
  /** What was read of each file, by its path. */
  readonly #read = new Map<string, string>()
  readonly #ids = new Map<string, SourceIds>()
  /** The numbers of the files that the artifacts themselves give, for those without a build-info. */
  readonly #ownIds = new Map<number, string>()

  constructor(
    folder: string,
    contracts: ContractRegistry,
    onMalformed: (path: string, error: Error) => void,
  ) {
    this.#folder = folder
    this.#contracts = contracts
    this.#onMalformed = onMalformed
  }

  /** Reads what is new or changed, and returns how many files had contracts in them. */
  async readChanges(signal: AbortSignal): Promise<number> {
    let bytes = 0
    let count = 0
    const foundry: FoundryArtifact[] = []
    for (const file of await listArtifacts(this.#folder)) {
      if (this.#read.get(file.path) === file.version) continue
      signal.throwIfAborted()
      bytes += file.size
      if (bytes > artifactLimits.bytes) break
      const json = await this.#readJson(file)
      if (json === undefined) continue
      this.#read.set(file.path, file.version)
      const ids = readSourceIds(json)
      if (ids !== undefined) this.#ids.set(file.path, ids)
      const artifact = readFoundryArtifact(json)
      if (artifact !== undefined) foundry.push(artifact)
      else if (await this.#addBuildInfo(file, json)) count++
    }
    await this.#addFoundry(foundry, signal)
    return count + foundry.length
  }

  /** Hardhat 2 writes a build-info into one file, Hardhat 3 its output into another one beside it. */
  async #addBuildInfo({ path }: ArtifactFile, json: object): Promise<boolean> {
    const output = memberOf(json, 'output')
    if (typeof output !== 'object' || output === null) return false
    let input = memberOf(json, 'input')
    if (input === undefined && path.endsWith('.output.json')) {
      const beside = path.replace(/\.output\.json$/, '.json')
      input = memberOf(await this.#readJson({ path: beside }), 'input')
    }
    this.#contracts.add(output, typeof input === 'object' && input !== null ? input : {})
    return true
  }

  async #addFoundry(artifacts: readonly FoundryArtifact[], signal: AbortSignal): Promise<void> {
    if (artifacts.length === 0) return
    for (const { id, source } of artifacts) this.#ownIds.set(id, source)
    const groups = new Map<SourceIds, FoundryArtifact[]>()
    for (const artifact of artifacts) {
      const ids = [...this.#ids.values()].findLast((one) => areIdsOf(one, artifact)) ?? this.#ownIds
      groups.set(ids, [...(groups.get(ids) ?? []), artifact])
    }
    for (const [ids, group] of groups) {
      const compilation = toCompilation(await this.#readSources(ids, group, signal))
      this.#contracts.addContracts(group.map((artifact) => fromFoundry(artifact, compilation)))
    }
  }

  /** Reads the sources of artifacts from the project that their folder is in, as long as they are what was compiled. */
  async #readSources(
    ids: SourceIds,
    artifacts: readonly FoundryArtifact[],
    signal: AbortSignal,
  ): Promise<readonly SourceFile[]> {
    const hashes = new Map(artifacts.flatMap(({ sources }) => [...sources]))
    const project = await realpath(dirname(await realpath(this.#folder)))
    const place = { parent: dirname(project), name: basename(project), maxBytes: maxSourceBytes }
    const files: SourceFile[] = []
    for (const [id, path] of ids) {
      const hash = hashes.get(path)
      if (hash === undefined) continue
      signal.throwIfAborted()
      const content = await readConfinedFile(place, path).catch(() => undefined)
      if (content !== undefined && toHex(keccak256(content)) === hash)
        files.push({ id, path, content: content.toString() })
    }
    return files
  }

  async #readJson({ path }: Pick<ArtifactFile, 'path'>): Promise<object | undefined> {
    try {
      const folder = await realpath(this.#folder)
      const place = {
        parent: dirname(folder),
        name: basename(folder),
        maxBytes: artifactLimits.fileBytes,
      }
      const json = await parseJsonInSlices((await readConfinedFile(place, path)).toString())
      if (typeof json !== 'object' || json === null) throw new Error('expected an object')
      return json
    } catch (error) {
      this.#onMalformed(path, error as Error)
      return undefined
    }
  }
}
