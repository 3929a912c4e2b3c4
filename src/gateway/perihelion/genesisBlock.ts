import { decodeHeader, headerHash } from '../../chain/block/header.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { NativeQueries } from '../client/nativeQueries.ts'
import type { WrittenBlock } from '../follow/blockWriter.ts'
import { queryPerihelion } from './parameters.ts'

/** Fetches block 0, which no native block tells of: its header is in the genesis. */
export const fetchGenesisBlock = async (
  queries: NativeQueries,
  signal: AbortSignal,
): Promise<WrittenBlock> => {
  const genesis = await queryPerihelion({ queries, signal }, perihelionQueries.genesis)
  const header = decodeHeader(genesis.header)
  const hash = headerHash(header)
  const block = {
    header,
    hash,
    transactions: [],
    ommers: [],
    withdrawals: header.withdrawalsRoot && [],
    blobGasPrice: undefined,
  }
  return {
    rows: encodeBlockRows(block),
    number: 0,
    time: Number(header.timestamp),
    nativeHash: new Uint8Array(),
    resultsHash: new Uint8Array(),
    appHash: undefined,
    node: undefined,
  }
}
