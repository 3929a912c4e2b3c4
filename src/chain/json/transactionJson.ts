import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { effectiveGasPrice } from '../fees/effectiveGasPrice.ts'
import { signatureV } from '../transaction/encode.ts'
import type { AccessListEntry, Authorization, Transaction } from '../transaction/transaction.ts'

/** The fields of a transaction's JSON that come from its block. */
export interface TransactionInclusion {
  readonly blockHash: Uint8Array
  readonly blockNumber: bigint
  readonly blockTimestamp: bigint
  readonly baseFeePerGas: bigint | undefined
  readonly index: number
}

export interface TransactionJsonFields {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  /** The block that includes the transaction; undefined if it is in the pool. */
  readonly inclusion: TransactionInclusion | undefined
}

const accessListJson = (entries: readonly AccessListEntry[]): string =>
  `[${entries
    .map(
      ({ address, storageKeys }) =>
        `{"address":"${toHex(address)}","storageKeys":[${storageKeys.map((key) => `"${toHex(key)}"`).join(',')}]}`,
    )
    .join(',')}]`

const authorizationJson = ({ chainId, address, nonce, yParity, r, s }: Authorization): string =>
  `{"chainId":"${toQuantity(chainId)}","address":"${toHex(address)}","nonce":"${toQuantity(nonce)}",` +
  `"yParity":"${toQuantity(yParity)}","r":"${toQuantity(r)}","s":"${toQuantity(s)}"}`

const feeMembers = (tx: Transaction): string => {
  if (tx.type === 0 || tx.type === 1) return ''
  return (
    `"maxFeePerGas":"${toQuantity(tx.maxFeePerGas)}",` +
    `"maxPriorityFeePerGas":"${toQuantity(tx.maxPriorityFeePerGas)}",` +
    `${tx.type === 3 ? `"maxFeePerBlobGas":"${toQuantity(tx.maxFeePerBlobGas)}",` : ''}`
  )
}

/** Returns the members from `accessList` to `authorizationList`, each with a comma at its end. */
const typeMembers = (tx: Transaction): string => {
  if (tx.type === 0) return tx.chainId === undefined ? '' : `"chainId":"${toQuantity(tx.chainId)}",`
  const common = `"accessList":${accessListJson(tx.accessList)},"chainId":"${toQuantity(tx.chainId)}",`
  if (tx.type === 3)
    return `${common}"blobVersionedHashes":[${tx.blobVersionedHashes.map((hash) => `"${toHex(hash)}"`).join(',')}],`
  if (tx.type === 4)
    return `${common}"authorizationList":[${tx.authorizations.map(authorizationJson).join(',')}],`
  return common
}

/**
 * Returns the price that a transaction pays; for one in the pool, where the base fee is unknown, its fee cap.
 */
const effectivePrice = (tx: Transaction, inclusion: TransactionInclusion | undefined): bigint => {
  if (tx.type === 0 || tx.type === 1) return tx.gasPrice
  return inclusion ? effectiveGasPrice(tx, inclusion.baseFeePerGas) : tx.maxFeePerGas
}

export const transactionJson = ({
  transaction: tx,
  hash,
  sender,
  inclusion,
}: TransactionJsonFields): string => {
  const { yParity, r, s } = tx.signature
  const block = inclusion
    ? `"blockHash":"${toHex(inclusion.blockHash)}","blockNumber":"${toQuantity(inclusion.blockNumber)}",` +
      `"blockTimestamp":"${toQuantity(inclusion.blockTimestamp)}",`
    : '"blockHash":null,"blockNumber":null,"blockTimestamp":null,'
  return (
    `{${block}"from":"${toHex(sender)}","gas":"${toQuantity(tx.gasLimit)}",` +
    `"gasPrice":"${toQuantity(effectivePrice(tx, inclusion))}",${feeMembers(tx)}"hash":"${toHex(hash)}",` +
    `"input":"${toHex(tx.data)}","nonce":"${toQuantity(tx.nonce)}",` +
    `"to":${tx.to ? `"${toHex(tx.to)}"` : 'null'},` +
    `"transactionIndex":${inclusion ? `"${toQuantity(inclusion.index)}"` : 'null'},` +
    `"value":"${toQuantity(tx.value)}","type":"0x${tx.type}",${typeMembers(tx)}` +
    `"v":"${toQuantity(signatureV(tx, tx.signature))}","r":"${toQuantity(r)}","s":"${toQuantity(s)}"` +
    `${tx.type === 0 ? '' : `,"yParity":"0x${yParity}"`}}`
  )
}
