import { decodeHeader, headerHash } from '../../chain/block/header.ts'
import { perihelionQueries } from '../../cosmos/queries/perihelionQueries.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import type { Upstreams } from '../client/upstreams.ts'
import { askOwnNode } from '../detect/ask.ts'
import type { WrittenBlock } from './blockWriter.ts'

/** Block 0 of our own chain, which no native block tells of: its header is asked for. */
export const askGenesisBlock = async (upstreams: Upstreams, signal: AbortSignal): Promise<WrittenBlock> => {
  const genesis = await askOwnNode({ queries: upstreams, signal }, perihelionQueries.genesis)
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
