import { assembleCosmosBlock } from '../convert/cosmosBlock.ts'
import { ics23Proofs } from '../light/state/ics23Proofs.ts'
import { openCosmosRemote } from './cosmosRemote.ts'
import type { Family } from './family.ts'

/**
 * The common members of all families whose EVM is a module of the Cosmos SDK and is accessed by queries of that module.
 */
export const cosmosModule = {
  blocks: { hash: 'engine', needsContext: true, assemble: assembleCosmosBlock },
  proofs: ics23Proofs,
  isFinalResponse: () => true,
  openRemote: openCosmosRemote,
} as const satisfies Partial<Family>
