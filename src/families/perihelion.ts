import { perihelionDialect } from '../cosmos/transaction/dialect.ts'
import type { Family } from './family.ts'
import { assemblePerihelionBlock } from './perihelion/assembleBlock.ts'
import { fetchGenesisBlock } from './perihelion/genesisBlock.ts'
import { isFinalResponse } from './perihelion/perihelionQueries.ts'
import { openPerihelionRemote } from './perihelion/perihelionRemote.ts'
import { isPerihelionChain, readPerihelionParameters } from './perihelion/readParameters.ts'
import { trieProofs } from './perihelion/trieProofs.ts'

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
