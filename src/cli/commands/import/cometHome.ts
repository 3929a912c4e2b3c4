import { badConfig, type ExitError } from '../../../base/exit.ts'
import { isCometHome } from '../../../service/home/networkId.ts'

export const needsStateSync = (): ExitError =>
  badConfig(
    'CometBFT has a state of its own, which no file of ours holds: a node of a chain with validators gets both by state sync (docs/operations.md)',
  )

/** Throws an ExitError for a home of CometBFT, which would not know of the blocks that a file brings. */
export const assertNotCometHome = (home: string): void => {
  if (isCometHome(home)) throw needsStateSync()
}
