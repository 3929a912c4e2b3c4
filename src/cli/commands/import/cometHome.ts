import { badConfig, type ExitError } from '../../../base/exit.ts'
import { hasCometFiles } from '../../../home/layout.ts'
import { readHomeMode } from '../../../home/mode.ts'

export const needsStateSync = (): ExitError =>
  badConfig(
    'CometBFT has a state of its own, which no file of ours holds: a node of a chain with validators gets both by state sync (docs/operations.md)',
  )

/** Throws an ExitError for a home of CometBFT, which would not know of the blocks that a file brings. */
export const assertNotCometHome = (home: string): void => {
  if (readHomeMode(home)?.engine === 'cometbft' || hasCometFiles(home)) throw needsStateSync()
}
