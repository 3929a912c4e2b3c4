import { headerHash } from '../verify/headerHash.ts'
import { parseHeader } from './header.ts'
import { base64Of, hexOf, listOf, objectOf } from './json.ts'
import type { NativeBlock } from './native.ts'
import { UpstreamFault } from './upstreamFault.ts'

/** CometBFT's own limit of a block. */
const maxTransactionBytes = 100 * 1024 * 1024
export const maxTransactions = 1_000_000

/** The block of a reply or of an event; an event of before 0.38 does not name its hash, and then the header has it. */
export const parseBlockParts = (block: unknown, blockId: unknown): NativeBlock => {
  if (block === null || block === undefined) throw new UpstreamFault('there is no block in the answer')
  const fields = objectOf(block, 'block')
  const header = parseHeader(fields.header)
  const data = objectOf(fields.data, 'block.data')
  return {
    hash:
      blockId === undefined
        ? headerHash(header)
        : hexOf(objectOf(blockId, 'block_id').hash, 'block_id.hash', 32),
    header,
    transactions: listOf(data.txs, 'block.data.txs', maxTransactions).map((transaction, index) =>
      base64Of(transaction, `block.data.txs[${index}]`, maxTransactionBytes),
    ),
  }
}

/** The result of `block`. */
export const parseBlock = (reply: unknown): NativeBlock => {
  const { block, block_id: blockId } = objectOf(reply, 'block')
  if (blockId === undefined) throw new UpstreamFault('block_id is missing')
  return parseBlockParts(block, blockId)
}
