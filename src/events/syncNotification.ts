import { toQuantity } from '../base/encoding/hex.ts'
import type { Notification } from '../base/notification.ts'
import type { SyncProgress } from '../chain/port/network.ts'
import { toNotification, toSubscriptionMessage } from './ethSubscription.ts'

/** Returns the notification of `syncing`: geth's object while the node syncs, false when it is synced. */
export const toSyncNotification = (progress: SyncProgress | undefined): Notification => {
  const result = progress && {
    syncing: true,
    status: {
      startingBlock: toQuantity(progress.startingBlock),
      currentBlock: toQuantity(progress.currentBlock),
      highestBlock: toQuantity(progress.highestBlock),
    },
  }
  return toNotification([toSubscriptionMessage(Buffer.from(JSON.stringify(result ?? false)))])
}
