import type { Application } from '../app/application.ts'
import type { RestoreParts } from '../app/snapshot/restore.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { createDecidedService } from './cometbft/application/decided.ts'
import { createRestoreService } from './cometbft/application/restore.ts'

/** What engines have done on the application's thread, beside what every node does there. */
export const createEngineService = (app: Application, parts: RestoreParts, readGenesis: () => Genesis) => ({
  ...createDecidedService(app),
  ...createRestoreService(app, parts, readGenesis),
})
