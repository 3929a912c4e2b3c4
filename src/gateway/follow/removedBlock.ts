import type { NativeBlockInfoReader } from '../../families/convert/nativeBlockInfo.ts'
import { type RemovedLogs, toRemovedLog, toRemovedLogs } from '../../served/chainEvents.ts'
import { StoredBlockReader } from '../../served/storedBlockReader.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'
import { latestAsPending } from '../latestAsPending.ts'
import { CosmosBlockReader } from '../nativeView/cosmosBlockReader.ts'

/** What must be reverted of a block that was served and proved wrong. Plain data, which is passed between threads. */
export interface RemovedBlock {
  readonly number: number
  /** The JSON of its receipts. */
  readonly receipts: Uint8Array
  /** The JSON of each log that only the Cosmos view shows. */
  readonly cosmosLogs: readonly string[]
}

/** Returns a function that reads the head before it is replaced or reverted. */
export const createRemovedBlockReader =
  (store: BlockStoreReader, native: NativeBlockInfoReader, chainId: bigint) =>
  (number: number): RemovedBlock => {
    const headNumber = (): number => number
    const blocks: StoredBlockReader = new StoredBlockReader(store, {
      headNumber,
      pending: async () => latestAsPending(blocks, number),
    })
    const cosmos = new CosmosBlockReader({
      blocks,
      native,
      chainId,
      logCount: (height) => store.logCount(height),
    })
    return {
      number,
      receipts: Buffer.from(store.receiptsJson(number) ?? '[]'),
      cosmosLogs: cosmos.synthetic(number).flatMap(({ logs }) => logs.map(({ json }) => json)),
    }
  }

/** Returns the logs that subscribers are told to forget, with those of the Cosmos view where it is on. */
export const removedLogsOf = (
  { number, receipts, cosmosLogs }: RemovedBlock,
  hasCosmosView: boolean,
): readonly RemovedLogs[] => {
  const cosmos = hasCosmosView ? cosmosLogs.map((json) => toRemovedLog(JSON.parse(json) as object)) : []
  return [{ number, logs: [...toRemovedLogs(receipts), ...cosmos] }]
}
