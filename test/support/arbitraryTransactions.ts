import fc from 'fast-check'
import { privateKeyToAddress } from '../../src/base/crypto/crypto.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signAuthorization, signTransaction } from '../../src/chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../../src/chain/transaction/transaction.ts'

/** Signed transactions of every type, fields from zero to their widest. */

const testKey = new Uint8Array(32).fill(0x42)
export const testSender = privateKeyToAddress(testKey).slice()

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })
const uint = (bits: number) =>
  fc.integer({ min: 0, max: bits }).chain((size) => fc.bigInt({ min: 0n, max: 2n ** BigInt(size) - 1n }))

const common = {
  nonce: uint(64),
  gasLimit: uint(64),
  to: fc.option(bytes(20), { nil: undefined }),
  value: uint(256),
  data: fc.uint8Array({ maxLength: 300 }),
}
const accessList = fc.array(
  fc.record({ address: bytes(20), storageKeys: fc.array(bytes(32), { maxLength: 3 }) }),
  { maxLength: 3 },
)
const feeMarket = {
  ...common,
  chainId: uint(64),
  maxFeePerGas: uint(256),
  maxPriorityFeePerGas: uint(256),
  accessList,
}
const authorization = fc
  .record({ chainId: uint(64), address: bytes(20), nonce: uint(64) })
  .map((fields) => signAuthorization(fields, testKey))

const unsigned: fc.Arbitrary<UnsignedTransaction> = fc.oneof(
  fc.record({
    ...common,
    type: fc.constant(0 as const),
    chainId: fc.option(uint(64), { nil: undefined }),
    gasPrice: uint(256),
  }),
  fc.record({ ...common, type: fc.constant(1 as const), chainId: uint(64), gasPrice: uint(256), accessList }),
  fc.record({ ...feeMarket, type: fc.constant(2 as const) }),
  fc.record({
    ...feeMarket,
    type: fc.constant(3 as const),
    maxFeePerBlobGas: uint(256),
    blobVersionedHashes: fc.array(bytes(32), { maxLength: 4 }),
  }),
  fc.record({
    ...feeMarket,
    type: fc.constant(4 as const),
    authorizations: fc.array(authorization, { maxLength: 3 }),
  }),
)

export interface SignedTransaction {
  readonly transaction: Transaction
  readonly raw: Uint8Array
}

const sign = (fields: UnsignedTransaction): SignedTransaction => {
  const transaction = signTransaction(fields, testKey)
  return { transaction, raw: encodeTransaction(transaction) }
}

export const signedTransactions: fc.Arbitrary<SignedTransaction> = unsigned.map(sign)

/** Transactions of one chain with the first nonce, so that those with valid other fields are executed. */
export const firstTransactions = (chainId: bigint): fc.Arbitrary<SignedTransaction> =>
  unsigned.map((fields) => sign({ ...fields, chainId, nonce: 0n }))
