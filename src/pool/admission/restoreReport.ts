import type { Logger } from '../../base/logging/log.ts'
import type { RestoreResult } from './transactionSubmitter.ts'

/** Logs what became of the transactions of the journal. */
export const reportRestored = (log: Logger, { restored, parked, skipped, why }: RestoreResult): void => {
  if (restored + parked + skipped === 0) return
  log.info(
    { restored, parked, dropped: skipped, ...(skipped > 0 && { why }) },
    parked > 0
      ? 'restored the transactions of the journal; parked ones wait for room or funds'
      : 'restored the transactions of the journal',
  )
}
