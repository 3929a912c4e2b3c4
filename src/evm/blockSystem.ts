import { equalBytes, noBytes } from '../base/bytes.ts'
import { fromHex } from '../base/hex.ts'
import { type Fork, since } from '../chain/forks.ts'
import type { Log } from '../chain/log.ts'
import { systemContracts } from '../chain/systemContracts.ts'
import type { Execution } from './types.ts'

/** What the protocol itself calls at the beginning and at the end of a block. */

/** EIP-7685: the first byte of a request. */
const depositType = 0
const withdrawalType = 1
const consolidationType = 2

/** Before the first transaction. Where a contract is not deployed nothing happens, as the EIPs say. */
export const beginBlock = (
  execution: Execution,
  fork: Fork,
  { parentHash, parentBeaconBlockRoot }: { parentHash: Uint8Array; parentBeaconBlockRoot: Uint8Array },
): void => {
  if (since(fork, 'cancun')) execution.systemCall(systemContracts.beaconRoots.address, parentBeaconBlockRoot)
  if (since(fork, 'prague')) execution.systemCall(systemContracts.historyStorage.address, parentHash)
}

/** A block that cannot be valid, whatever its transactions are. */
export class InvalidBlockError extends Error {
  override readonly name = 'InvalidBlockError'
}

/** After the last transaction and the withdrawals, from Prague on: each request as its type byte and its data. */
export const collectRequests = (
  execution: Execution,
  logs: readonly Log[],
  depositContract: Uint8Array | undefined,
): readonly Uint8Array[] => [
  request(depositType, depositsOf(logs, depositContract)),
  request(withdrawalType, dequeue(execution, systemContracts.withdrawalRequests.address)),
  request(consolidationType, dequeue(execution, systemContracts.consolidationRequests.address)),
]

const request = (type: number, data: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(1 + data.length)
  bytes[0] = type
  bytes.set(data, 1)
  return bytes
}

/** EIP-7002 and EIP-7251: without the contract, or where its call fails, the block is invalid. */
const dequeue = (execution: Execution, contract: Uint8Array): Uint8Array => {
  const result = execution.systemCall(contract, noBytes)
  if (result === undefined) throw new InvalidBlockError('a system contract of Prague is not deployed')
  if (!result.success) throw new InvalidBlockError(`a system contract of Prague failed: ${result.error}`)
  return result.output
}

/** EIP-6110: DepositEvent(bytes,bytes,bytes,bytes,bytes). */
const depositTopic = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')
const depositLogLength = 576

/** Where each of the five fields stands in the log's data, and how long it is: the layout is fixed. */
const depositFields = [
  { name: 'pubkey', at: 160, length: 48 },
  { name: 'withdrawal_credentials', at: 256, length: 32 },
  { name: 'amount', at: 320, length: 8 },
  { name: 'signature', at: 384, length: 96 },
  { name: 'index', at: 512, length: 8 },
] as const

const depositsOf = (logs: readonly Log[], contract: Uint8Array | undefined): Uint8Array => {
  if (contract === undefined) return noBytes
  const deposits = logs.filter(
    ({ address, topics }) =>
      equalBytes(address, contract) && topics[0] !== undefined && equalBytes(topics[0], depositTopic),
  )
  return Buffer.concat(deposits.map(({ data }) => depositOf(data)))
}

const depositOf = (data: Uint8Array): Uint8Array => {
  if (data.length !== depositLogLength) throw new InvalidBlockError('a deposit log has a wrong length')
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  /** A word of the ABI encoding; anything above 32 bits is wrong here. */
  const wordAt = (at: number): number =>
    data.subarray(at, at + 28).every((byte) => byte === 0) ? view.getUint32(at + 28) : Number.NaN
  return Buffer.concat(
    depositFields.map(({ name, at, length }, index) => {
      if (wordAt(index * 32) !== at || wordAt(at) !== length) {
        throw new InvalidBlockError(`a deposit log has a wrong ${name}`)
      }
      return data.subarray(at + 32, at + 32 + length)
    }),
  )
}
