import { decodeHeader, headerHash } from '../../chain/block/header.ts'
import type { NativeQueryClient } from '../../comet/data/nativeQuery.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { BlockWrite } from '../convert/blockWrite.ts'
import { queryPerihelion } from './readParameters.ts'

/** Fetches block 0, which is in no native block: its header is in the genesis. */
export const fetchGenesisBlock = async (
  queries: NativeQueryClient,
  signal: AbortSignal,
): Promise<BlockWrite> => {
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
