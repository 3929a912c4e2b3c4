import type { ProofKind } from '../../light/state/proofKind.ts'
import { verifyTrieValue } from '../../light/state/trieValue.ts'
import { perihelionStateRules } from './trieRules.ts'

/** Perihelion chains: the AppHash is the hash of the Ethereum header, whose state root is that of a Merkle-Patricia trie. */
export const trieProofs: ProofKind = {
  // The engine has no height for the state of block 0.
  lowest: 1,
  isCertain: true,
  rulesOf: (_chainInfo, blocks) => perihelionStateRules(blocks),
  verify: verifyTrieValue,
  appHashAfter: (height, blocks) => blocks.header(height) && blocks.blockHashAt(height),
}
