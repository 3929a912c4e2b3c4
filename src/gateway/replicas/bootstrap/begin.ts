import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { StoreError } from '../../../store/meta.ts'
import { PeerAwayError } from '../peer.ts'
import { type BootstrapDependencies, type BootstrapOptions, bootstrap } from './bootstrap.ts'

interface BeginOptions extends BootstrapOptions {
  /** The file that is there while a bootstrap has begun and not come to its end. */
  readonly marker: string
}

/**
 * Begins an empty store with the blocks of another replica, or continues where that was interrupted. A store that has
 * blocks of nodes takes none. If the replica is away or its blocks are wrong, the nodes are asked.
 */
export const beginWithReplica = async (
  { marker, ...options }: BeginOptions,
  dependencies: BootstrapDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { writer, log } = dependencies
  if (writer.last !== undefined && !existsSync(marker)) return
  try {
    writeFileSync(marker, '')
    if (await bootstrap(options, dependencies, signal)) rmSync(marker)
  } catch (error) {
    await writer.discard()
    if (!(error instanceof StoreError) && !(error instanceof PeerAwayError)) throw error
    log.error(
      { reason: error.message },
      'another replica is not begun with: the nodes are asked for all blocks',
    )
  }
}
