import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import type { Header } from '../block/header.ts'

/**
 * JSON for clients, written directly as text. Members are in geth's order (names sorted), so that responses
 * can be compared with geth's byte for byte. All of it is ASCII: a character is a byte.
 */

/** Whether a block is sealed; a pending block has null in the members that only sealing defines. */
export type Sealing = 'sealed' | 'pending'

const optionalQuantity = (name: string, value: bigint | undefined): string =>
  value === undefined ? '' : `"${name}":"${toQuantity(value)}",`

const optionalData = (name: string, value: Uint8Array | undefined): string =>
  value === undefined ? '' : `"${name}":"${toHex(value)}",`

/** Returns the members from `baseFeePerGas` to `sha3Uncles`, with a comma at the end. */
export const headerMembersToUncles = (
  header: Header,
  hash: Uint8Array,
  sealing: Sealing = 'sealed',
): string => {
  const sealed = (bytes: Uint8Array): string => (sealing === 'sealed' ? `"${toHex(bytes)}"` : 'null')
  return (
    optionalQuantity('baseFeePerGas', header.baseFeePerGas) +
    optionalQuantity('blobGasUsed', header.blobGasUsed) +
    `"difficulty":"${toQuantity(header.difficulty)}",` +
    optionalQuantity('excessBlobGas', header.excessBlobGas) +
    `"extraData":"${toHex(header.extraData)}","gasLimit":"${toQuantity(header.gasLimit)}",` +
    `"gasUsed":"${toQuantity(header.gasUsed)}","hash":${sealed(hash)},` +
    `"logsBloom":"${toHex(header.logsBloom)}","miner":${sealed(header.beneficiary)},` +
    `"mixHash":"${toHex(header.mixHash)}","nonce":${sealed(header.nonce)},` +
    `"number":"${toQuantity(header.number)}",` +
    optionalData('parentBeaconBlockRoot', header.parentBeaconBlockRoot) +
    `"parentHash":"${toHex(header.parentHash)}","receiptsRoot":"${toHex(header.receiptsRoot)}",` +
    optionalData('requestsHash', header.requestsHash) +
    `"sha3Uncles":"${toHex(header.ommersHash)}",`
  )
}

/** Returns `stateRoot` and `timestamp`, with a comma at the end. */
export const headerMembersToTimestamp = (header: Header): string =>
  `"stateRoot":"${toHex(header.stateRoot)}","timestamp":"${toQuantity(header.timestamp)}",`

export const withdrawalsRootMember = ({ withdrawalsRoot }: Header): string =>
  withdrawalsRoot === undefined ? '' : `,"withdrawalsRoot":"${toHex(withdrawalsRoot)}"`

/** Returns the JSON of `eth_getHeaderBy…` and of the subscription to new heads. */
export const headerJson = (header: Header, hash: Uint8Array): string =>
  `{${headerMembersToUncles(header, hash)}${headerMembersToTimestamp(header)}` +
  `"transactionsRoot":"${toHex(header.transactionsRoot)}"${withdrawalsRootMember(header)}}`
