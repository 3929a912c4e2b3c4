import { lazy } from '../../base/async/lazy.ts'
import { createCodec } from '../curves/field.ts'
import { fpSize, frSize, g1Size, loadCurve } from '../curves/mcl.ts'
import type { Precompile } from '../types.ts'

/** EIP-7951: an ECDSA signature over secp256r1. Hash, r, s and the public key's coordinates, 32 bytes each. */

const p256 = lazy(() => {
  const mcl = loadCurve('p256')
  // The base point and the public key, side by side for the double multiplication.
  const base = mcl._malloc(3 * g1Size + 5 * frSize)
  const publicKey = base + g1Size
  const sum = publicKey + g1Size
  const factors = sum + g1Size
  const r = factors + 2 * frSize
  const s = r + frSize
  const hash = s + frSize
  mcl._mclBnG1_getBasePoint(base)
  return { mcl, codec: createCodec(mcl, 32), base, publicKey, sum, factors, r, s, hash }
})

const inputLength = 160
const failed = new Uint8Array(0)
const verified = new Uint8Array(32)
verified[31] = 1

const readKey = (input: Uint8Array): boolean => {
  const { mcl, codec, publicKey } = p256()
  return (
    codec.readField(publicKey, input, 96) &&
    codec.readField(publicKey + fpSize, input, 128) &&
    codec.finishG1(publicKey) &&
    mcl._mclBnG1_isZero(publicKey) === 0
  )
}

const isVerified = (input: Uint8Array): boolean => {
  if (input.length !== inputLength) return false
  const { mcl, codec, base, sum, factors, r, s, hash } = p256()
  if (!codec.readOrderedScalar(r, input, 32) || mcl._mclBnFr_isZero(r)) return false
  if (!codec.readOrderedScalar(s, input, 64) || mcl._mclBnFr_isZero(s)) return false
  if (!readKey(input)) return false
  codec.readScalar(hash, input, 0)
  mcl._mclBnFr_inv(s, s)
  mcl._mclBnFr_mul(factors, hash, s)
  mcl._mclBnFr_mul(factors + frSize, r, s)
  mcl._mclBnG1_mulVec(sum, base, factors, 2)
  if (mcl._mclBnG1_isZero(sum)) return false
  mcl._mclBnG1_normalize(sum, sum)
  // The x coordinate, reduced by the group order, must be r.
  const x = new Uint8Array(32)
  codec.writeField(x, 0, sum)
  codec.readScalar(s, x, 0)
  return mcl._mclBnFr_isEqual(r, s) === 1
}

/** The precompile; it never fails, and returns no bytes for an invalid signature. */
export const p256Verify: Precompile = {
  gas: () => 6_900n,
  run: (input) => (isVerified(input) ? verified.slice() : failed),
}
