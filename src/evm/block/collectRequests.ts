import { concatBytes, emptyBytes, equalBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import type { Execution } from '../types.ts'
import { applyPostBlockCalls } from './systemCalls.ts'

/** Requests from the execution layer to the consensus layer (EIP-7685): a type and its data. */

const depositType = 0
const withdrawalType = 1
const consolidationType = 2

const depositEvent = fromHex('0x649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5')

/**
 * The five byte strings of the deposit event (EIP-6110): public key, credentials, amount, signature, index.
 */
const depositFields = [
  { offset: 160, size: 48 },
  { offset: 256, size: 32 },
  { offset: 320, size: 8 },
  { offset: 384, size: 96 },
  { offset: 512, size: 8 },
] as const
const depositDataSize = 576

/** The error for a deposit contract that logs in another form, which makes the block invalid (EIP-6110). */
export class DepositLogError extends Error {
  override readonly name = 'DepositLogError'
}

const wordAt = (data: Uint8Array, at: number): bigint => toBigInt(data.subarray(at, at + 32))

const parseDeposit = (data: Uint8Array): Uint8Array => {
  if (data.length !== depositDataSize) throw new DepositLogError(`deposit log of ${data.length} bytes`)
  const parts = depositFields.map(({ offset, size }, i) => {
    if (wordAt(data, i * 32) !== BigInt(offset) || wordAt(data, offset) !== BigInt(size)) {
      throw new DepositLogError(`field ${i} of a deposit log is out of place`)
    }
    return data.subarray(offset + 32, offset + 32 + size)
  })
  return concatBytes(...parts)
}

const isDeposit = ({ address, topics: [event] }: Log, depositContract: Uint8Array): boolean =>
  equalBytes(address, depositContract) && event !== undefined && equalBytes(event, depositEvent)

/** Returns the deposits in a block's logs, concatenated. */
export const collectDeposits = (logs: readonly Log[], depositContract: Uint8Array): Uint8Array =>
  concatBytes(...logs.filter((log) => isDeposit(log, depositContract)).map(({ data }) => parseDeposit(data)))

/** Checks whether a transaction with these logs would make its block invalid (EIP-6110). */
export const hasInvalidDeposit = (logs: readonly Log[], depositContract: Uint8Array): boolean =>
  logs.some((log) => isDeposit(log, depositContract) && !isValidDeposit(log.data))

const isValidDeposit = (data: Uint8Array): boolean => {
  try {
    parseDeposit(data)
    return true
  } catch (error) {
    if (error instanceof DepositLogError) return false
    throw error
  }
}

/** Returns all requests of a block after its transactions; types without data are omitted. */
export const collectRequests = (
  execution: Execution,
  logs: readonly Log[],
  depositContract: Uint8Array | undefined,
): readonly Uint8Array[] => {
  const deposits = depositContract === undefined ? emptyBytes : collectDeposits(logs, depositContract)
  const { withdrawals, consolidations } = applyPostBlockCalls(execution)
  const typed = [
    [depositType, deposits],
    [withdrawalType, withdrawals],
    [consolidationType, consolidations],
  ] as const
  return typed
    .filter(([, data]) => data.length > 0)
    .map(([type, data]) => concatBytes(Uint8Array.of(type), data))
}
