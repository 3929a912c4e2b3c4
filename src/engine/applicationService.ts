import type { Application } from '../app/application.ts'
import type { RestoreDependencies } from '../app/snapshot/restore.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { createFinalizeService } from './cometbft/application/decided.ts'
import { createRestoreService } from './cometbft/application/restore.ts'

/**
 * Returns the calls that engines add to the service of the application thread. `wantedProposal` is shared with the main
 * thread.
 */
export const createEngineService = (
  app: Application,
  dependencies: RestoreDependencies,
  readGenesis: () => Genesis,
  wantedProposal: Int32Array | undefined,
) => ({
  ...createFinalizeService(app, wantedProposal),
  ...createRestoreService(app, dependencies, readGenesis),
})
