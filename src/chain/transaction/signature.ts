import { curveOrder, keccak256, recoverAddress, secp256k1 } from '../../base/crypto/crypto.ts'
import { concatBytes, fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import type { Signature } from '../../base/platform/signing.ts'
import { type Fork, since } from '../config/forks.ts'
import { encodeInteger, signingHash } from './encode.ts'
import type { Authorization, Transaction, TransactionSignature, UnsignedTransaction } from './transaction.ts'

const halfCurveOrder = curveOrder / 2n

const isInRange = ({ yParity, r, s }: TransactionSignature, maxS: bigint): boolean =>
  yParity <= 1 && r > 0n && r < curveOrder && s > 0n && s <= maxS

/** Checks the ranges of a signature's values. From Homestead on, a high s is invalid (EIP-2). */
export const isSignatureInRange = (signature: TransactionSignature, fork: Fork): boolean =>
  isInRange(signature, since(fork, 'homestead') ? halfCurveOrder : curveOrder - 1n)

const recoverInRange = (
  hash: Uint8Array,
  { yParity, r, s }: TransactionSignature,
): Uint8Array | undefined => {
  const compact = concatBytes(fromBigInt(r, 32), fromBigInt(s, 32))
  return recoverAddress(hash, { compact, recovery: yParity })
}

/** Recovers the sender; undefined if the signature is invalid. */
export const recoverSender = (tx: Transaction, fork: Fork): Uint8Array | undefined =>
  isSignatureInRange(tx.signature, fork) ? recoverInRange(signingHash(tx), tx.signature) : undefined

export const signTransaction = (tx: UnsignedTransaction, privateKey: Uint8Array): Transaction => ({
  ...tx,
  signature: toSignature(secp256k1.sign(signingHash(tx), privateKey)),
})

/** Converts a signature to the fields of a transaction. */
export const toSignature = ({ compact, recovery }: Signature): TransactionSignature => ({
  yParity: recovery,
  r: toBigInt(compact.subarray(0, 32)),
  s: toBigInt(compact.subarray(32)),
})

/** Returns keccak(0x05 ‖ rlp([chain_id, address, nonce])) (EIP-7702). */
const authorizationHash = (authorization: Pick<Authorization, 'chainId' | 'address' | 'nonce'>): Uint8Array =>
  keccak256(
    concatBytes(
      Uint8Array.of(5),
      encodeRlp([
        encodeInteger(authorization.chainId),
        authorization.address,
        encodeInteger(authorization.nonce),
      ]),
    ),
  )

/** Recovers the account that signed an authorization; undefined if the signature is invalid. */
export const recoverAuthority = (authorization: Authorization): Uint8Array | undefined =>
  isInRange(authorization, halfCurveOrder)
    ? recoverInRange(authorizationHash(authorization), authorization)
    : undefined

export const signAuthorization = (
  fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
  privateKey: Uint8Array,
): Authorization => ({ ...fields, ...toSignature(secp256k1.sign(authorizationHash(fields), privateKey)) })
