import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeOwnFile } from '../../base/files/ownFile.ts'
import { StoreError } from '../../store/tables/chainMeta.ts'
import { type BootstrapDependencies, bootstrap } from './bootstrap.ts'
import { SnapshotAwayError } from './snapshotBytes.ts'

interface BeginOptions {
  /** The file or the URL of the snapshot. */
  readonly place: string
  /**
   * The file that is there while a bootstrap has begun and not come to its end. It has the number of the last block that
   * is from the snapshot, or is about to be written.
   */
  readonly marker: string
}

/** Returns the highest block that may be from a snapshot; -1 if no bootstrap was interrupted. */
const lastTaken = (marker: string): number => {
  const text = existsSync(marker) ? readFileSync(marker, 'utf8') : ''
  return /^\d+$/.test(text) ? Number(text) : -1
}

/**
 * Begins an empty store with the blocks of a snapshot, or continues where that was interrupted. A store that has
 * blocks of nodes takes none. Throws if nothing can be read of the snapshot. If its blocks are wrong, or it ends early, the nodes
 * are asked; only if these have none of what follows, the next start takes the snapshot again.
 */
export const beginWithSnapshot = async (
  { place, marker }: BeginOptions,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { writer, log } = dependencies
  const onBlocks = (last: number): void => {
    writeOwnFile(marker, String(last))
    dependencies.onBlocks?.(last)
  }
  if (writer.last !== undefined && writer.last.number > lastTaken(marker)) {
    log.info(
      { block: writer.last.number },
      'gateway.bootstrap is not used: this home has blocks of nodes. A new home begins with those of the snapshot',
    )
    return void rmSync(marker, { force: true })
  }
  try {
    await bootstrap(place, { ...dependencies, onBlocks }, signal)
    rmSync(marker, { force: true })
    log.info({ block: writer.last?.number }, 'the store begins with the blocks of the snapshot')
  } catch (error) {
    await writer.discard()
    if (signal.aborted) return
    if (!(error instanceof StoreError) && !(error instanceof SnapshotAwayError)) throw error
    if (error instanceof SnapshotAwayError && writer.last === undefined) {
      rmSync(marker, { force: true })
      throw new StoreError(
        `the snapshot of gateway.bootstrap is not there, ${error.message}: correct it, or leave it out to read all blocks from the nodes`,
      )
    }
    // Whatever nodes add is above it.
    if (writer.last === undefined) rmSync(marker, { force: true })
    else writeOwnFile(marker, String(writer.last.number))
    log.error({ reason: error.message }, 'the snapshot is not begun with: the nodes are asked for all blocks')
  }
}
