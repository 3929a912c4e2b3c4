import { perihelionDialect } from '../cosmos/transaction/dialect.ts'
import type { ProofKind } from '../light/state/proofKind.ts'
import { verifyTrieValue } from '../light/state/trieValue.ts'
import type { Family } from './family.ts'
import { assemblePerihelionBlock } from './perihelion/assembleBlock.ts'
import { fetchGenesisBlock } from './perihelion/genesisBlock.ts'
import { isFinalResponse } from './perihelion/perihelionQueries.ts'
import { openPerihelionRemote } from './perihelion/perihelionRemote.ts'
import { isPerihelionChain, readPerihelionParameters } from './perihelion/readParameters.ts'
import { perihelionStateRules } from './perihelion/trieRules.ts'

/** Perihelion chains: the AppHash is the hash of the Ethereum header, whose state root is that of a Merkle-Patricia trie. */
export const trieProofs: ProofKind = {
  // The engine has no height for the state of block 0.
  lowest: 1,
  isCertain: true,
  hasWitnesses: true,
  rulesOf: (_chainInfo, blocks) => perihelionStateRules(blocks),
  verify: verifyTrieValue,
  appHashAfter: (height, blocks) => blocks.header(height) && blocks.blockHashAt(height),
}

/**
 * Perihelion chains. Their blocks carry the Ethereum header, and their nodes answer by queries of `perihelion.v1`
 * everything that they answer over JSON-RPC.
 */
export const perihelion: Family = {
  name: 'perihelion',
  evmPackage: perihelionDialect.evmPackage,
  // No other chain has this query, and a Perihelion chain also has most queries of the others.
  detection: { by: 'queries', matches: isPerihelionChain },
  readParameters: readPerihelionParameters,
  capabilities: {
    stateOverrides: true,
    callTraces: true,
    maxUsedGas: true,
    globalMinGasPrice: true,
    nonceGapQueue: false,
  },
  baseFeeScale: 'decimal',
  messageLayout: perihelionDialect.messageLayout,
  blocks: {
    hash: 'header',
    needsContext: false,
    assemble: assemblePerihelionBlock,
    fetchGenesis: fetchGenesisBlock,
  },
  proofs: trieProofs,
  isFinalResponse,
  openRemote: openPerihelionRemote,
}
