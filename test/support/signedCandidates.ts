import { keccak256, privateKeyToAddress } from '../../src/base/crypto/crypto.ts'
import { encodeTransaction } from '../../src/chain/transaction/encode.ts'
import { signTransaction } from '../../src/chain/transaction/signature.ts'
import type { RecoveredTransaction, UnsignedTransaction } from '../../src/chain/transaction/transaction.ts'

/** Transactions that are valid on a dev chain, from any number of senders. */

export const testChainId = 31_337n

const keyOf = (sender: number): Uint8Array => new Uint8Array(32).fill(sender + 1)

export const addressOf = (sender: number): Uint8Array => privateKeyToAddress(keyOf(sender)).slice()

const transfer: Omit<Extract<UnsignedTransaction, { type: 2 }>, 'nonce'> = {
  type: 2,
  chainId: testChainId,
  maxPriorityFeePerGas: 10n ** 9n,
  maxFeePerGas: 10n ** 10n,
  gasLimit: 21_000n,
  to: new Uint8Array(20).fill(0xee),
  value: 5n,
  data: new Uint8Array(0),
  accessList: [],
}

export const signCandidate = (sender: number, tx: UnsignedTransaction): RecoveredTransaction => {
  const transaction = signTransaction(tx, keyOf(sender))
  const raw = encodeTransaction(transaction)
  return { transaction, raw, hash: keccak256(raw), sender: addressOf(sender) }
}

/** Returns a transfer, with the given fields replaced. */
export const createCandidate = (
  sender: number,
  nonce: bigint,
  fields: Partial<typeof transfer> = {},
): RecoveredTransaction => signCandidate(sender, { ...transfer, nonce, ...fields })
