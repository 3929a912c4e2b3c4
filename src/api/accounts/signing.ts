import { concatBytes } from '../../base/encoding/bytes.ts'
import type { Signature } from '../../base/platform/signing.ts'
import { signingHash } from '../../chain/transaction/encode.ts'
import { toSignature } from '../../chain/transaction/signature.ts'
import type { Transaction, UnsignedTransaction } from '../../chain/transaction/transaction.ts'
import type { Accounts } from '../../keystore/accounts.ts'
import type { KeySigner } from '../../keystore/keystore.ts'
import { callFailed } from '../../rpc/errors.ts'

/** A signer: the unlocked accounts, or one key that was opened with a passphrase. */
export type Signer = Pick<Accounts, 'sign' | 'has'>

/** Returns a signer that signs once with an opened key and then closes it. */
export const createOneTimeSigner = (opened: KeySigner): Signer => ({
  has: () => true,
  sign: (_address, hash) => {
    const signature = opened.sign(hash)
    opened.close()
    return signature
  },
})

/** Throws geth's error for an account that the node does not manage. */
export const assertKnown = (signer: Signer, address: Uint8Array): void => {
  if (!signer.has(address)) throw callFailed('unknown account')
}

/** Signs with an unlocked account; throws geth's error if it cannot. */
const signWith = (signer: Signer, address: Uint8Array, hash: Uint8Array): Signature => {
  const signature = signer.sign(address, hash)
  if (signature !== undefined) return signature
  assertKnown(signer, address)
  throw callFailed('authentication needed: password or unlock')
}

/** Returns a signature of 65 bytes whose last one is 27 or 28, as wallets encode signatures of messages. */
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
