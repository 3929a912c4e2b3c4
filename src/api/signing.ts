import { concatBytes } from '../base/bytes.ts'
import type { Signature } from '../base/crypto.ts'
import { signingHash } from '../chain/transaction/encode.ts'
import { toSignature } from '../chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../chain/transaction/types.ts'
import type { Accounts } from '../keystore/accounts.ts'
import { failed } from '../rpc/errors.ts'

/** Signs with an account that is unlocked; why it cannot is said in geth's words. */
const signWith = (accounts: Accounts, address: Uint8Array, hash: Uint8Array): Signature => {
  const signature = accounts.sign(address, hash)
  if (signature !== undefined) return signature
  throw failed(accounts.has(address) ? 'authentication needed: password or unlock' : 'unknown account')
}

/** A signature of 65 bytes, the last one 27 or 28, as wallets give it for messages. */
export const signHash = (accounts: Accounts, address: Uint8Array, hash: Uint8Array): Uint8Array => {
  const { compact, recovery } = signWith(accounts, address, hash)
  return concatBytes(compact, Uint8Array.of(27 + recovery))
}

export const signTransaction = (
  accounts: Accounts,
  address: Uint8Array,
  transaction: UnsignedTransaction,
): Transaction => ({
  ...transaction,
  signature: toSignature(signWith(accounts, address, signingHash(transaction))),
})
