import { keccak256, recoverAddress, type Signature, secp256k1 } from '../../base/crypto.ts'
import { concatBytes, fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { encodeRlp } from '../../base/encoding/rlp.ts'
import { type Fork, since } from '../config/forks.ts'
import { encodeInteger, signingHash } from './encode.ts'
import type { Authorization, Transaction, TransactionSignature, UnsignedTransaction } from './types.ts'

const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const halfCurveOrder = curveOrder / 2n

const recoverSigner = (
  hash: Uint8Array,
  { yParity, r, s }: TransactionSignature,
  maxS: bigint,
): Uint8Array | undefined => {
  if (yParity > 1 || r <= 0n || r >= curveOrder || s <= 0n || s > maxS) return undefined
  const compact = concatBytes(fromBigInt(r, 32), fromBigInt(s, 32))
  return recoverAddress(hash, { compact, recovery: yParity })
}

/**
 * Recovers the sender; undefined if the signature is invalid. From Homestead on, a high s is invalid (EIP-2).
 */
export const recoverSender = (tx: Transaction, fork: Fork): Uint8Array | undefined =>
  recoverSigner(signingHash(tx), tx.signature, since(fork, 'homestead') ? halfCurveOrder : curveOrder - 1n)

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
  recoverSigner(authorizationHash(authorization), authorization, halfCurveOrder)

export const signAuthorization = (
  fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
  privateKey: Uint8Array,
): Authorization => ({ ...fields, ...toSignature(secp256k1.sign(authorizationHash(fields), privateKey)) })
