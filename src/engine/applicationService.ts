import type { Application } from '../app/application.ts'
import type { RestoreDependencies } from '../app/snapshot/restore.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { createFinalizeService } from './cometbft/application/decided.ts'
import { createRestoreService } from './cometbft/application/restore.ts'

/** What engines have done on the application's thread, beside what every node does there. */
export const createEngineService = (
  app: Application,
  parts: RestoreDependencies,
  readGenesis: () => Genesis,
) => ({
  ...createFinalizeService(app),
  ...createRestoreService(app, parts, readGenesis),
})
