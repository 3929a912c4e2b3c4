import { toQuantity } from '../base/hex.ts'
import type { Notice } from '../base/notice.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { toMessage, toNotice } from './notification.ts'

/** `syncing`: geth's object while behind, false when in step. */
export const syncNotice = (progress: SyncProgress | undefined): Notice => {
  const result = progress && {
    syncing: true,
    status: {
      startingBlock: toQuantity(progress.startingBlock),
      currentBlock: toQuantity(progress.currentBlock),
      highestBlock: toQuantity(progress.highestBlock),
    },
  }
  return toNotice([toMessage(Buffer.from(JSON.stringify(result ?? false)))])
}
