import { parseBase64, parseHex, parseList, parseObject } from './fields.ts'
import { headerHash } from './headerHash.ts'
import type { NativeBlock } from './nativeBlock.ts'
import { parseHeader } from './parseHeader.ts'
import { UpstreamError } from './upstreamError.ts'

/** CometBFT's limit of the size of a block, in bytes. */
const maxTransactionBytes = 100 * 1024 * 1024
export const maxTransactions = 1_000_000

/** Parses the block of a reply or of an event. Events before 0.38 have no hash, so it is computed from the header. */
export const parseBlockFields = (block: unknown, blockId: unknown): NativeBlock => {
  if (block === null || block === undefined) throw new UpstreamError('there is no block in the response')
  const fields = parseObject(block, 'block')
  const header = parseHeader(fields.header)
  const data = parseObject(fields.data, 'block.data')
  return {
    hash:
      blockId === undefined
        ? headerHash(header)
        : parseHex(parseObject(blockId, 'block_id').hash, 'block_id.hash', 32),
    header,
    transactions: parseList(data.txs, 'block.data.txs', maxTransactions).map((transaction, index) =>
      parseBase64(transaction, `block.data.txs[${index}]`, maxTransactionBytes),
    ),
  }
}

/** Parses the result of `block`. */
export const parseBlock = (reply: unknown): NativeBlock => {
  const { block, block_id: blockId } = parseObject(reply, 'block')
  if (blockId === undefined) throw new UpstreamError('block_id is missing')
  return parseBlockFields(block, blockId)
}
