import { type FSWatcher, watch } from 'node:fs'
import type { Logger } from '../../base/logging/log.ts'
import type { ContractRegistry } from '../../solidity/contractRegistry.ts'
import { ArtifactReader } from './artifactReader.ts'

/** A compiler writes many files: they are read when it has been quiet for this long. */
const quietMs = 250
/** When a folder that is not there, or a file that was not whole, is looked at again. */
const againMs = 2_000

/** Keeps the contracts of a folder of artifacts in the registry, from now on until it is closed. */
export class ArtifactFolder {
  readonly #folder: string
  readonly #log: Logger
  readonly #reader: ArtifactReader
  readonly #end = new AbortController()
  readonly #malformed = new Map<string, number>()
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #reading: Promise<void> | undefined
  #hasFailed = false

  constructor(folder: string, contracts: ContractRegistry, log: Logger) {
    this.#folder = folder
    this.#log = log
    this.#reader = new ArtifactReader(folder, contracts, (path, error) => this.#tellMalformed(path, error))
    this.#look()
  }

  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    this.#watcher?.close()
    await this.#reading
  }

  #look(): void {
    this.#reading ??= this.#readAndWatch().finally(() => {
      this.#reading = undefined
    })
  }

  async #readAndWatch(): Promise<void> {
    try {
      // Before it is read, so that no change is missed.
      this.#watcher ??= this.#watch()
      const count = await this.#reader.readChanges(this.#end.signal)
      this.#hasFailed = false
      if (count > 0) this.#log.info({ folder: this.#folder, files: count }, 'artifacts were read')
    } catch (error) {
      if (this.#end.signal.aborted) return
      if (!this.#hasFailed) this.#tellFailure(error)
      this.#hasFailed = true
      this.#unwatch()
      this.#lookIn(againMs)
    }
  }

  /** A compiler may make the folder later: a project is often compiled after its node was started. */
  #tellFailure(error: unknown): void {
    if (Object(error).code === 'ENOENT')
      this.#log.info({ folder: this.#folder }, 'the folder of artifacts is not there yet; looking again')
    else this.#log.warn({ folder: this.#folder, err: error }, 'the artifacts cannot be read; looking again')
  }

  #watch(): FSWatcher {
    const watcher = watch(this.#folder, { recursive: true, persistent: false }, () => this.#lookIn(quietMs))
    watcher.on('error', () => {
      this.#unwatch()
      this.#lookIn(againMs)
    })
    return watcher
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #lookIn(milliseconds: number): void {
    if (this.#end.signal.aborted) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      // What changes while it is read is read after that.
      if (this.#reading !== undefined) this.#lookIn(quietMs)
      else this.#look()
    }, milliseconds)
    this.#timer.unref()
  }

  /** A file may be half written: it is reported if the second read fails too, and only once. */
  #tellMalformed(path: string, error: Error): void {
    const count = (this.#malformed.get(path) ?? 0) + 1
    this.#malformed.set(path, count)
    if (count === 1) this.#lookIn(againMs)
    if (count === 2)
      this.#log.warn({ file: path, err: error }, 'this file of the artifacts cannot be read and is left out')
  }
}
