import { concatBytes } from '../../base/bytes.ts'
import type { Signature } from '../../base/crypto.ts'
import { signingHash } from '../../chain/transaction/encode.ts'
import { toSignature } from '../../chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../../chain/transaction/types.ts'
import type { Accounts } from '../../keystore/accounts.ts'
import type { KeySigner } from '../../keystore/keystore.ts'
import { callFailed } from '../../rpc/errors.ts'

/** What signs: the accounts that are unlocked, or one that a passphrase opened. */
export type Signer = Pick<Accounts, 'sign' | 'has'>

/** Signs once with an opened key, which is gone thereafter. */
export const createOneTimeSigner = (opened: KeySigner): Signer => ({
  has: () => true,
  sign: (_address, hash) => {
    const signature = opened.sign(hash)
    opened.close()
    return signature
  },
})

/** Signs with an account that is unlocked; why it cannot is said in geth's words. */
const signWith = (signer: Signer, address: Uint8Array, hash: Uint8Array): Signature => {
  const signature = signer.sign(address, hash)
  if (signature !== undefined) return signature
  throw callFailed(signer.has(address) ? 'authentication needed: password or unlock' : 'unknown account')
}

/** A signature of 65 bytes, the last one 27 or 28, as wallets give it for messages. */
export const signHash = (signer: Signer, address: Uint8Array, hash: Uint8Array): Uint8Array => {
  const { compact, recovery } = signWith(signer, address, hash)
  return concatBytes(compact, Uint8Array.of(27 + recovery))
}

export const signTransaction = (
  signer: Signer,
  address: Uint8Array,
  transaction: UnsignedTransaction,
): Transaction => ({
  ...transaction,
  signature: toSignature(signWith(signer, address, signingHash(transaction))),
})
