import { toHex, toQuantity } from '../../base/hex.ts'
import { encodeRlp } from '../../base/rlp.ts'
import { type Header, headerFields, headerHash } from '../block/header.ts'
import type { Withdrawal } from '../block/withdrawal.ts'
import {
  headerMembersToTimestamp,
  headerMembersToUncles,
  type Sealing,
  withdrawalsRootMember,
} from './header.ts'

export interface BlockJsonFields {
  readonly header: Header
  /** Our own chain's is the header's; a foreign chain's is what its node reports. */
  readonly hash: Uint8Array
  /** The length of the block's RLP. */
  readonly size: number
  readonly ommerHashes: readonly Uint8Array[]
  readonly withdrawals: readonly Withdrawal[] | undefined
}

/** A block's JSON around its transactions. */
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

/** What stands between the brackets where only hashes are asked for. */
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

/** `eth_getUncleBy…`: a block of which only the header is known, without `transactions`. */
export const ommerJson = (ommer: Header): string => {
  const size = encodeRlp([headerFields(ommer), [], []]).length
  return (
    `{${headerMembersToUncles(ommer, headerHash(ommer))}"size":"${toQuantity(size)}",` +
    `${headerMembersToTimestamp(ommer)}"transactionsRoot":"${toHex(ommer.transactionsRoot)}","uncles":[]` +
    `${withdrawalsRootMember(ommer)}}`
  )
}
