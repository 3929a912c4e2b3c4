import { ics23Proofs } from '../light/state/ics23Proofs.ts'
import { asBuffer } from '../store/tables/rowKeys.ts'
import { assembleCosmosBlock } from './convert/cosmosBlock.ts'
import { openCosmosRemote } from './cosmosRemote.ts'
import type { Family } from './family.ts'

/**
 * Returns whether a response never changes. `TraceBlock` has an error in place of the result of a transaction whose trace took
 * too long, and may have the result when its node is less busy. Quotes within texts are escaped, so that these bytes begin an
 * object: the worst that one within a result does is another query.
 */
const isFinalResponse = (path: string, response: Uint8Array): boolean =>
  !path.endsWith('.Query/TraceBlock') || !asBuffer(response).includes('{"error":')

/**
 * The common members of all families whose EVM is a module of the Cosmos SDK and is accessed by queries of that module.
 */
export const cosmosModule = {
  blocks: { hash: 'engine', needsContext: true, assemble: assembleCosmosBlock },
  proofs: ics23Proofs,
  isFinalResponse,
  openRemote: openCosmosRemote,
} as const satisfies Partial<Family>
