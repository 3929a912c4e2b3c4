import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../../base/files/atomicFile.ts'
import { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { NativeBlockReader } from '../../store/nativeRows.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { tableNames } from '../../store/tables/chainTables.ts'
import { storedChain } from '../identity/storeIdentity.ts'
import { type BlockFileContent, encodeBlockFile } from './blockFile.ts'
import { type ExportedPiece, type ExportSource, exportPiece } from './exportedBlock.ts'

function* piecesOf(
  source: ExportSource,
  { first, head }: BlockFileContent,
  onBlocks: (done: number, total: number) => void,
): Generator<ExportedPiece> {
  for (let next = first; next <= head; ) {
    const piece = exportPiece(source, next, head)
    yield piece
    next += piece.blocks.length
    onBlocks(next - first, head - first + 1)
  }
}

/**
 * The blocks of a gateway's store as they are when this is opened, also while a gateway runs. Nothing that is in it is
 * overwritten before it is closed, so that the file of the store may grow meanwhile.
 */
export class StoreExport {
  readonly content: BlockFileContent
  readonly #source: ExportSource
  readonly #environment: LmdbEnvironment
  readonly #release: () => void

  private constructor(
    environment: LmdbEnvironment,
    release: () => void,
    source: ExportSource,
    content: BlockFileContent,
  ) {
    this.#environment = environment
    this.#release = release
    this.#source = source
    this.content = content
  }

  /** Opens the store of a file. Throws a `StoreError` if it has no blocks of a gateway. */
  static async open(path: string): Promise<StoreExport> {
    const environment = new LmdbEnvironment({ path, readOnly: true })
    try {
      if (!environment.hasTable(tableNames.meta)) throw new StoreError(`${path} has no blocks`)
      const blocks = new BlockStoreReader(environment)
      // All tables are open before the reads are held: to open one ends what is read.
      const source = { blocks, native: new NativeBlockReader(environment) }
      const release = environment.holdReads()
      const head = blocks.head()?.number
      const chain = storedChain(blocks)
      if (head === undefined || chain === undefined)
        throw new StoreError(`${path} has no blocks of a gateway`)
      return new StoreExport(environment, release, source, { chain, first: blocks.oldestComplete(), head })
    } catch (error) {
      await environment.close()
      throw error
    }
  }

  /** Writes them to a file, which is there when all of it is. */
  async write(path: string, onBlocks: (done: number, total: number) => void): Promise<void> {
    const partial = `${path}.partial`
    try {
      // What a killed process left there, or a link, whose target would be overwritten.
      await rm(partial, { force: true })
      const bytes = encodeBlockFile(this.content, piecesOf(this.#source, this.content, onBlocks))
      await pipeline(
        Readable.from(bytes, { objectMode: false }),
        createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }),
      )
      await rename(partial, path)
      await syncFolder(dirname(path))
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
  }

  async close(): Promise<void> {
    this.#release()
    await this.#environment.close()
  }
}
