import { realpath } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { readConfinedFile } from '../../base/files/confinedFile.ts'
import { parsePieced } from '../../base/json/piecedJson.ts'
import { newLongSlice, runInSlices } from '../../base/threads/timeSlice.ts'
import { entriesOf, memberOf, textOf } from '../../solidity/compilerJson.ts'
import {
  type Compilation,
  type CompiledContract,
  type ContractRegistry,
  readContracts,
  type SourceFile,
  toCompilation,
  toContract,
} from '../../solidity/contractRegistry.ts'
import {
  areIdsOf,
  type FoundryArtifact,
  readFoundryArtifact,
  readSourceIds,
} from '../../solidity/foundryArtifact.ts'
import { type ArtifactFile, artifactLimits, listArtifacts } from './artifactFiles.ts'

/** The largest source that is read. */
const maxSourceBytes = 4e6
/** JSON may not be nested deeper: trees of syntax are deep. */
const maxDepth = 2_000

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
    const files = await listArtifacts(this.#folder)
    this.#forgetOthers(new Set(files.map(({ path }) => path)))
    const foundry = new Map<ArtifactFile, FoundryArtifact>()
    let count = 0
    const { older, newest } = splitNewest(
      files.filter(({ path, version }) => this.#read.get(path) !== version),
    )
    // If the next look read them, they would take the place of what is newer.
    for (const { path, version } of older) this.#read.set(path, version)
    for (const file of newest) {
      const json = await this.#readJson(file.path, signal)
      if (json === undefined) continue
      const ids = readSourceIds(json)
      if (ids !== undefined) this.#ids.set(file.path, ids)
      const artifact = readFoundryArtifact(json)
      const isAdded = artifact === undefined && (await this.#addBuildInfo(file, json, signal))
      if (isAdded) count++
      if (artifact !== undefined) foundry.set(file, artifact)
      else if (isAdded !== undefined) this.#read.set(file.path, file.version)
    }
    await this.#addFoundry([...foundry.values()], signal)
    for (const { path, version } of foundry.keys()) this.#read.set(path, version)
    return count + foundry.size
  }

  #forgetOthers(paths: ReadonlySet<string>): void {
    for (const path of this.#read.keys()) if (!paths.has(path)) this.#read.delete(path)
    for (const path of this.#ids.keys()) if (!paths.has(path)) this.#ids.delete(path)
  }

  /**
   * Hardhat 2 writes a build-info into one file, Hardhat 3 its output into another one beside it. Returns whether it is one;
   * undefined if it cannot be read yet.
   */
  async #addBuildInfo(file: ArtifactFile, json: object, signal: AbortSignal): Promise<boolean | undefined> {
    const output = memberOf(json, 'output')
    if (!isObject(output)) return false
    const whole = file.input === undefined ? json : await this.#readJson(file.input, signal)
    if (whole === undefined) return undefined
    const input = memberOf(whole, 'input')
    // Hardhat 3 compiles the files of a project as `project/…`, and keeps the paths that their owner knows beside.
    const paths = new Map(
      entriesOf(memberOf(whole, 'userSourceNameMap')).map(([path, source]) => [textOf(source), path]),
    )
    const pathOf = (source: string): string => paths.get(source) ?? source
    await this.#addAll(readContracts(output, isObject(input) ? input : {}, pathOf), signal)
    return true
  }

  async #addFoundry(artifacts: readonly FoundryArtifact[], signal: AbortSignal): Promise<void> {
    for (const { id, source } of artifacts) this.#ownIds.set(id, source)
    const contents = await this.#readSources(artifacts, signal)
    // Contracts that were compiled with the same numbers and the same sources share one compilation.
    const compilations = new Map<SourceIds, Map<string, Compilation>>()
    const compilationOf = (artifact: FoundryArtifact): Compilation => {
      const ids = [...this.#ids.values()].findLast((one) => areIdsOf(one, artifact)) ?? this.#ownIds
      const others = compilations.get(ids) ?? new Map<string, Compilation>()
      compilations.set(ids, others)
      const changed = new Set<string>()
      for (const [path, hash] of artifact.sources) if (contents.get(path)?.hash !== hash) changed.add(path)
      const key = [...changed].sort().join('\n')
      const known = others.get(key) ?? toCompilation(sourceFiles(ids, contents, changed))
      others.set(key, known)
      return known
    }
    await this.#addAll(
      (function* () {
        for (const artifact of artifacts)
          yield toContract({ ...artifact, compilation: compilationOf(artifact) })
      })(),
      signal,
    )
  }

  /** Adds contracts without holding up others. */
  async #addAll(contracts: Iterable<CompiledContract>, signal: AbortSignal): Promise<void> {
    const slice = newLongSlice()
    for (const contract of contracts) {
      signal.throwIfAborted()
      this.#contracts.addContract(contract)
      if (slice.isOver) await slice.next()
    }
  }

  /** Reads the sources of artifacts from the project that their folder is in. */
  async #readSources(
    artifacts: readonly FoundryArtifact[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, HashedSource>> {
    const contents = new Map<string, HashedSource>()
    if (artifacts.length === 0) return contents
    const project = await realpath(dirname(await realpath(this.#folder)))
    const place = { parent: dirname(project), name: basename(project), maxBytes: maxSourceBytes }
    for (const path of new Set(artifacts.flatMap(({ sources }) => [...sources.keys()]))) {
      signal.throwIfAborted()
      const content = await readConfinedFile(place, path).catch(() => undefined)
      if (content !== undefined)
        contents.set(path, { content: content.toString(), hash: toHex(keccak256(content)) })
    }
    return contents
  }

  async #readJson(path: string, signal: AbortSignal): Promise<object | undefined> {
    try {
      const folder = await realpath(this.#folder)
      const place = { parent: dirname(folder), name: basename(folder), maxBytes: artifactLimits.fileBytes }
      const text = (await readConfinedFile(place, path)).toString()
      const json = await runInSlices(parsePieced(text, maxDepth), newLongSlice(), () => signal.aborted)
      signal.throwIfAborted()
      if (!isObject(json)) throw new Error('expected an object')
      return json
    } catch (error) {
      signal.throwIfAborted()
      this.#onMalformed(path, error as Error)
      return undefined
    }
  }
}

/** A source as it is now. */
interface HashedSource {
  readonly content: string
  readonly hash: string
}

/** Returns the files that are as they were when they were compiled. */
const sourceFiles = (
  ids: SourceIds,
  contents: ReadonlyMap<string, HashedSource>,
  changed: ReadonlySet<string>,
): readonly SourceFile[] =>
  [...ids].flatMap(([id, path]) => {
    const content = changed.has(path) ? undefined : contents.get(path)?.content
    return content === undefined ? [] : [{ id, path, content }]
  })

/** Parts the files, which are listed from the oldest on, into the newest, as many as are read, and those before them. */
const splitNewest = (
  files: readonly ArtifactFile[],
): { readonly older: readonly ArtifactFile[]; readonly newest: readonly ArtifactFile[] } => {
  let bytes = 0
  const last = files.findLastIndex(({ size }) => {
    // A file that is too large is reported, and not read.
    if (size <= artifactLimits.fileBytes) bytes += size
    return bytes > artifactLimits.bytes
  })
  return { older: files.slice(0, last + 1), newest: files.slice(last + 1) }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
