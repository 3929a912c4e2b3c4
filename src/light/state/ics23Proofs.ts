import { cosmosStateRules } from './cosmosState.ts'
import type { ProofKind } from './proofKind.ts'
import { verifyStoreValue } from './storeProof.ts'

/** Nodes of the Cosmos SDK do not prove states up to this height. */
export const maxUnprovableHeight = 2

/** ICS-23: chains of the Cosmos SDK, whose AppHash commits to stores. */
export const ics23Proofs: ProofKind = {
  lowest: maxUnprovableHeight + 1,
  isCertain: false,
  hasWitnesses: false,
  rulesOf: cosmosStateRules,
  verify: verifyStoreValue,
  // The state root of a block is the AppHash of its header: that of the state before it.
  appHashAfter: (height, blocks) => blocks.header(height + 1)?.stateRoot,
}
