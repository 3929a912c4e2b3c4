import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { type Header, headerFields, headerHash } from '../block/header.ts'
import type { Withdrawal } from '../block/withdrawal.ts'
import {
  headerMembersToTimestamp,
  headerMembersToUncles,
  type Sealing,
  withdrawalsRootMember,
} from './headerJson.ts'

export interface BlockJsonFields {
  readonly header: Header
  /** The hash of the header on a Perihelion chain; the hash that the node reports on a Cosmos chain. */
  readonly hash: Uint8Array
  /** The length of the block's RLP. */
  readonly size: number
  readonly ommerHashes: readonly Uint8Array[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/** The JSON of a block before and after its transactions. */
export interface BlockJsonFrame {
  /** Ends with the bracket that opens `transactions`. */
  readonly open: string
  /** Begins with the bracket that closes it. */
  readonly close: string
}

const withdrawalJson = ({ index, validatorIndex, address, amount }: Withdrawal): string =>
  `{"index":"${toQuantity(index)}","validatorIndex":"${toQuantity(validatorIndex)}",` +
  `"address":"${toHex(address)}","amount":"${toQuantity(amount)}"}`

const hashList = (hashes: readonly Uint8Array[]): string => `[${hashes.map(quotedHash).join(',')}]`

const quotedHash = (hash: Uint8Array): string => `"${toHex(hash)}"`

/** Returns the content of `transactions` with hashes only. */
export const transactionHashesJson = (hashes: readonly Uint8Array[]): string =>
  hashes.map(quotedHash).join(',')

export const blockJsonFrame = (
  { header, hash, size, ommerHashes, withdrawals }: BlockJsonFields,
  sealing: Sealing = 'sealed',
): BlockJsonFrame => ({
  open:
    `{${headerMembersToUncles(header, hash, sealing)}"size":"${toQuantity(size)}",` +
    `${headerMembersToTimestamp(header)}"transactions":[`,
  close:
    `],"transactionsRoot":"${toHex(header.transactionsRoot)}","uncles":${hashList(ommerHashes)}` +
    `${withdrawals ? `,"withdrawals":[${withdrawals.map(withdrawalJson).join(',')}]` : ''}` +
    `${withdrawalsRootMember(header)}}`,
})

/**
 * Returns the JSON of `eth_getUncleBy…`: a block without `transactions`, because only its header is known.
 */
export const ommerJson = (ommer: Header): string => {
  const size = encodeRlp([headerFields(ommer), [], []]).length
  return (
    `{${headerMembersToUncles(ommer, headerHash(ommer))}"size":"${toQuantity(size)}",` +
    `${headerMembersToTimestamp(ommer)}"transactionsRoot":"${toHex(ommer.transactionsRoot)}","uncles":[]` +
    `${withdrawalsRootMember(ommer)}}`
  )
}
