import { existsSync } from 'node:fs'
import { decodeSubmission } from '../../pool/admission/submission.ts'
import { Journal, journalFolder } from '../../pool/journal.ts'

/**
 * Has the journal of the pool forget the transactions of blocks that are about to be reverted, while no node runs: they
 * would come back at the next start, because their nonces are free again.
 */
export const forgetReverted = (dataFolder: string, isReverted: (hash: Uint8Array) => boolean): void => {
  const folder = journalFolder(dataFolder)
  if (!existsSync(folder)) return
  const journal = new Journal(folder)
  try {
    const reverted = journal.loaded.filter((raw) => {
      const { submission } = decodeSubmission(raw)
      return submission !== undefined && isReverted(submission.hash)
    })
    if (reverted.length > 0) journal.forget(reverted)
  } finally {
    journal.close()
  }
}
