import { decodeHeader, headerHash } from '../../chain/header.ts'
import { encodeBlockRows } from '../../store/blockRows.ts'
import { NativeQueryError } from '../client/nativeQueries.ts'
import type { Upstreams } from '../client/upstreams.ts'
import type { WrittenBlock } from './blockWriter.ts'

const path = '/perihelion.v1.Query/Genesis'

/** The bytes of field 1 of a message that has no other before it. */
const firstField = (message: Uint8Array): Uint8Array | undefined => {
  if (message[0] !== 0x0a) return undefined
  let length = 0
  let at = 1
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = message[at++]
    if (byte === undefined) return undefined
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) return at + length <= message.length ? message.subarray(at, at + length) : undefined
  }
  return undefined
}

/** Block 0 of our own chain, which no native block tells of: its header is asked for. */
export const askGenesisBlock = async (upstreams: Upstreams, signal: AbortSignal): Promise<WrittenBlock> => {
  // Answer.value, and in it GenesisResponse.header.
  const answer = firstField(await upstreams.query(path, new Uint8Array(), undefined, signal))
  const rlp = answer && firstField(answer)
  if (!rlp) throw new NativeQueryError('unavailable', 'the first block cannot be read')
  const header = decodeHeader(rlp)
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
