import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromBase64 } from '../../base/encoding/base64.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { RlpError } from '../../base/encoding/rlp.ts'
import { ommersHash } from '../../chain/block/block.ts'
import { mergeBlooms } from '../../chain/block/bloom.ts'
import { decodeHeader, type Header } from '../../chain/block/header.ts'
import { type Receipt, receiptsRoot } from '../../chain/block/receipt.ts'
import { emptyTrieRoot, listRoot } from '../../chain/block/trieRoot.ts'
import type { NativeBlockResults } from '../../comet/data/nativeBlock.ts'
import { UpstreamError } from '../../comet/data/upstreamError.ts'
import { findBlockAttribute } from '../convert/blockEvents.ts'

/**
 * Blocks of a Perihelion chain: the application hash is the hash of the Ethereum header, which an event of the block
 * contains.
 */

export interface PerihelionHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

const decoded = (rlp: Uint8Array, height: number): Header => {
  try {
    return decodeHeader(rlp)
  } catch (error) {
    if (error instanceof RlpError)
      throw new UpstreamError(`block ${height}: invalid ethereum_header: ${error.message}`)
    throw error
  }
}

export const parsePerihelionHeader = ({ height, events, appHash }: NativeBlockResults): PerihelionHeader => {
  const rlp = fromBase64(findBlockAttribute(events, 'ethereum_header', 'rlp') ?? '')
  if (rlp === undefined || rlp.length === 0)
    throw new UpstreamError(`block ${height} has no event ethereum_header`)
  const header = decoded(rlp, height)
  const hash = keccak256(rlp)
  if (appHash !== undefined && !equalBytes(hash, appHash))
    throw new UpstreamError(
      `block ${height}: its ethereum_header is not the one that the application committed`,
    )
  if (header.number !== BigInt(height))
    throw new UpstreamError(`block ${height} has the Ethereum header of block ${header.number}`)
  return { header, hash }
}

const noOmmers = ommersHash([])

/** Checks that transactions and receipts are the ones that the header commits to. */
export const checkPerihelionBody = (
  header: Header,
  raw: readonly Uint8Array[],
  receipts: readonly Receipt[],
): void => {
  const assert = (holds: boolean, what: string): void => {
    if (!holds) throw new UpstreamError(`block ${header.number}: ${what} are not those of its header`)
  }
  assert(equalBytes(listRoot(raw), header.transactionsRoot), 'its transactions')
  assert(equalBytes(receiptsRoot(receipts), header.receiptsRoot), 'its receipts')
  assert(
    equalBytes(mergeBlooms(receipts.map(({ logsBloom }) => logsBloom)), header.logsBloom),
    'the addresses and topics of its logs',
  )
  assert((receipts.at(-1)?.cumulativeGasUsed ?? 0n) === header.gasUsed, 'the gas of its transactions')
  assert(equalBytes(noOmmers, header.ommersHash), 'its ommers')
  assert(
    header.withdrawalsRoot === undefined || equalBytes(header.withdrawalsRoot, emptyTrieRoot),
    'its withdrawals',
  )
}
