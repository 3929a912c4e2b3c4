import { toQuantity } from '../base/hex.ts'
import type { Notification } from '../base/notification.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { toHeadMessage, toNotification } from './ethSubscription.ts'

/** `syncing`: geth's object while behind, false when in step. */
export const toSyncNotification = (progress: SyncProgress | undefined): Notification => {
  const result = progress && {
    syncing: true,
    status: {
      startingBlock: toQuantity(progress.startingBlock),
      currentBlock: toQuantity(progress.currentBlock),
      highestBlock: toQuantity(progress.highestBlock),
    },
  }
  return toNotification([toHeadMessage(Buffer.from(JSON.stringify(result ?? false)))])
}
