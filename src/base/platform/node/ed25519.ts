import { createPublicKey, verify as verifyNatively } from 'node:crypto'
import { ed25519 as noble } from '@noble/curves/ed25519.js'
import type { SignatureCheck } from '../signing.ts'
import { encodeBase64 } from './binary.ts'

/**
 * Returns the check of signatures of a key of 32 bytes, by the rules of ZIP 215, as CometBFT has them. They take a little more
 * than OpenSSL's: what OpenSSL takes is valid, and what it does not take is decided by noble, many times slower.
 */
export const ed25519Check = (key: Uint8Array): SignatureCheck => {
  const x = encodeBase64(key).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  const object = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return (message, signature) =>
    verifyNatively(null, message, object, signature) ||
    noble.verify(signature, message, key, { zip215: true })
}
