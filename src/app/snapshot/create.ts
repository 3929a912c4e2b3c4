import type { LmdbEnvironment } from '../../base/lmdb/lmdb.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { SnapshotError } from '../../state/snapshot/snapshotError.ts'
import { defaultChunkBytes, iterateSnapshotChunks } from '../../state/snapshot/snapshotManifest.ts'
import { StateStore } from '../../state/stateStore.ts'
import { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { SnapshotWriter } from './folder.ts'
import { encodeHistory } from './history.ts'
import { encodeMetadata, hashConfig } from './metadata.ts'

export interface CreateSnapshotOptions {
  readonly folder: string
  readonly height: number
  readonly chunkBytes?: number
}

/**
 * Writes the snapshot of a retained height. It reads one read transaction from beginning to end, so that later commits
 * and pruning do not affect it, and holds one chunk in memory.
 */
export const createSnapshot = async (
  environment: LmdbEnvironment,
  config: ChainConfig,
  { folder, height, chunkBytes = defaultChunkBytes }: CreateSnapshotOptions,
): Promise<void> => {
  const state = new StateStore(environment)
  const blocks = new BlockStoreReader(environment)
  const reader = state.pinnedReader(height)
  try {
    // All that is read of blocks is read at once: they may be pruned while the state is written.
    const history = encodeHistory(blocks, height)
    const genesisHash = blocks.meta.genesisHash()
    const blockHash = blocks.blockHashAt(height)
    if (genesisHash === undefined || blockHash === undefined)
      throw new SnapshotError(`block ${height} is not kept`)
    const writer = await SnapshotWriter.create(folder, height)
    try {
      for (let at = 0; at < history.length; at += chunkBytes)
        await writer.add(history.subarray(at, at + chunkBytes))
      const historyChunks = writer.chunks.length
      for (const chunk of iterateSnapshotChunks(state.tables, reader, chunkBytes)) await writer.add(chunk)
      const configHash = hashConfig(config)
      await writer.finish(
        encodeMetadata({ genesisHash, configHash, blockHash, historyChunks, chunks: writer.chunks }),
      )
    } catch (error) {
      await writer.abort()
      throw error
    }
  } finally {
    reader.close()
  }
}
