import { secp256k1 as noble } from '@noble/curves/secp256k1.js'
import type { Secp256k1 } from './signing.ts'

/** The signatures of secp256k1 in JavaScript, for browsers and for platforms for which the native addon has no build. */
export const nobleSecp256k1: Secp256k1 = {
  recover: (hash, { compact, recovery }) => {
    try {
      const signature = noble.Signature.fromBytes(compact, 'compact').addRecoveryBit(recovery)
      return signature.recoverPublicKey(hash).toBytes(false).subarray(1)
    } catch {
      return undefined
    }
  },
  sign: (hash, privateKey) => {
    const bytes = noble.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { recovery: bytes[0] as number, compact: bytes.subarray(1) }
  },
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false).subarray(1),
  verify: (hash, compact, publicKey) => {
    try {
      return noble.verify(compact, hash, publicKey, { prehash: false, lowS: true })
    } catch {
      return false
    }
  },
  isPrivateKey: (privateKey) => noble.utils.isValidSecretKey(privateKey),
}
