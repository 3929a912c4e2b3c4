import { existsSync, readFileSync, rmSync } from 'node:fs'
import { writeOwnFile } from '../../../base/files/ownFile.ts'
import { StoreError } from '../../../store/tables/chainMeta.ts'
import { PeerAwayError } from '../peer.ts'
import { type BootstrapDependencies, type BootstrapOptions, bootstrap } from './bootstrap.ts'

interface BeginOptions extends BootstrapOptions {
  /**
   * The file that is there while a bootstrap has begun and not come to its end. It has the number of the last block that
   * is from the replica, or is about to be written.
   */
  readonly marker: string
}

/** Returns the highest block that may be from a replica; -1 if there is none. */
const lastTaken = (marker: string): number => {
  const text = existsSync(marker) ? readFileSync(marker, 'utf8') : ''
  return /^\d+$/.test(text) ? Number(text) : -1
}

/**
 * Begins an empty store with the blocks of another replica, or continues where that was interrupted. A store that has
 * blocks of nodes takes none. If the replica is away or its blocks are wrong, the nodes are asked; only if these have
 * none of what follows, the next start asks the replica again.
 */
export const beginWithReplica = async (
  { marker, ...options }: BeginOptions,
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
      'gateway.bootstrap is not used: this home has blocks of nodes. A new home begins with those of the replica',
    )
    return void rmSync(marker, { force: true })
  }
  try {
    if (await bootstrap(options, { ...dependencies, onBlocks }, signal)) rmSync(marker, { force: true })
  } catch (error) {
    await writer.discard()
    if (!(error instanceof StoreError) && !(error instanceof PeerAwayError)) throw error
    if (signal.aborted) return
    // Whatever nodes add is above it.
    if (writer.last === undefined) rmSync(marker, { force: true })
    else writeOwnFile(marker, String(writer.last.number))
    log.error(
      { reason: error.message },
      'another replica is not begun with: the nodes are asked for all blocks',
    )
  }
}
