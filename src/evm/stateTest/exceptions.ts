import type { InvalidReason } from '../../chain/transaction/invalidReason.ts'

/** The reasons for which a transaction may be rejected, by the tests' names for them. */
const reasons: Readonly<Record<string, readonly InvalidReason[]>> = {
  INTRINSIC_GAS_TOO_LOW: ['intrinsic gas too low', 'floor data gas too low'],
  INTRINSIC_GAS_BELOW_FLOOR_GAS_COST: ['intrinsic gas too low', 'floor data gas too low'],
  INSUFFICIENT_ACCOUNT_FUNDS: ['insufficient funds for gas * price + value'],
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: ['insufficient funds for gas * price + value', 'gas overflow'],
  SENDER_NOT_EOA: ['sender not an eoa'],
  INITCODE_SIZE_EXCEEDED: ['max initcode size exceeded'],
  INSUFFICIENT_MAX_FEE_PER_GAS: ['fee cap less than block base fee'],
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: ['blob fee cap less than block blob base fee'],
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS: ['tip above fee cap'],
  NONCE_IS_MAX: ['nonce has max value'],
  NONCE_MISMATCH_TOO_LOW: ['nonce too low'],
  NONCE_MISMATCH_TOO_HIGH: ['nonce too high'],
  GAS_ALLOWANCE_EXCEEDED: ['gas limit reached'],
  GAS_LIMIT_EXCEEDS_MAXIMUM: ['gas limit too high'],
  TYPE_3_TX_PRE_FORK: ['type not supported'],
  TYPE_3_TX_ZERO_BLOBS: ['missing blob hashes'],
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: ['too many blobs'],
  TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED: ['too many blobs'],
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: ['invalid blob hash version'],
  TYPE_3_TX_CONTRACT_CREATION: ['blob transaction of create type'],
  TYPE_4_TX_PRE_FORK: ['type not supported'],
  TYPE_4_TX_CONTRACT_CREATION: ['set code transaction of create type'],
  TYPE_4_EMPTY_AUTHORIZATION_LIST: ['empty authorization list'],
}

/**
 * Checks whether the test allows the reason of a rejection: "A|B" is either, and a name that is not listed
 * allows any.
 */
export const isExpectedException = (expected: string, reason: InvalidReason): boolean =>
  expected.split('|').some((name) => {
    const allowed = reasons[name.trim().replace(/^TransactionException\./, '')]
    return allowed === undefined || allowed.includes(reason)
  })
