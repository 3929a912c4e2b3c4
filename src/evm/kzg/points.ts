import { lazy } from '../../base/async/lazy.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { bls12381 } from '../curves/bls12381.ts'
import { frSize, g1Size, g2Size } from '../curves/mcl.ts'
import { pairingIsOne } from '../curves/pairing.ts'
import { g1Powers, tauG2 } from './trustedSetup.ts'

/** Points of BLS12-381 in mcl's memory, from their compressed form (flags in the three highest bits). */

const g2Generator =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'

const compressedBytes = lazy(() => bls12381().mcl._malloc(96))

type Deserialize = (out: number, bytes: number, length: number) => number

/** Decompresses a point; the compressed form is in mcl's memory only during the call. */
const decompress = (deserialize: Deserialize, out: number, compressed: Uint8Array): boolean => {
  const { mcl } = bls12381()
  const bytes = compressedBytes()
  new Uint8Array(mcl.wasmMemory.buffer).set(compressed, bytes)
  mcl._mclBn_setETHserialization(1)
  const consumed = deserialize(out, bytes, compressed.length)
  mcl._mclBn_setETHserialization(0)
  return consumed === compressed.length
}

/** Allocates a point of the setup, which needs no check; it stays in memory. */
export const allocateG1 = (hex: string): number => {
  const { mcl } = bls12381()
  const point = mcl._malloc(g1Size)
  decompress(mcl._mclBnG1_deserialize, point, fromHex(hex))
  return point
}

export const allocateG2 = (hex: string): number => {
  const { mcl } = bls12381()
  const point = mcl._malloc(g2Size)
  decompress(mcl._mclBnG2_deserialize, point, fromHex(hex))
  return point
}

export const generator2 = lazy(() => allocateG2(g2Generator))
const openingPoints = lazy(() => {
  const { mcl } = bls12381()
  return {
    mcl,
    generator1: allocateG1(g1Powers[0] as string), // the powers begin with it
    tau: allocateG2(tauG2),
    product: mcl._malloc(g2Size),
    shifted: mcl._malloc(g2Size),
  }
})

const compressedFlag = 0x80
const infinityFlag = 0x40

/** Decodes an untrusted point. Returns false if it is not in the group. */
export const decodePoint = (out: number, compressed: Uint8Array): boolean => {
  const { mcl } = bls12381()
  const first = compressed[0] as number
  if ((first & compressedFlag) === 0) return false
  if ((first & infinityFlag) !== 0) {
    mcl._mclBnG1_clear(out)
    return first === (compressedFlag | infinityFlag) && compressed.subarray(1).every((byte) => byte === 0)
  }
  return decompress(mcl._mclBnG1_deserialize, out, compressed) && mcl._mclBnG1_isValidOrder(out) === 1
}

/** Copies `size` bytes within mcl's memory. */
export const copy = (to: number, from: number, size: number): void => {
  new Uint8Array(bls12381().mcl.wasmMemory.buffer).copyWithin(to, from, from + size)
}

/** Checks whether e(a1, b1) · e(a2, b2) is one. */
export const isPairingOne = (a1: number, b1: number, a2: number, b2: number): boolean => {
  const read = (index: number, p: number, q: number): boolean => {
    copy(p, index === 0 ? a1 : a2, g1Size)
    copy(q, index === 0 ? b1 : b2, g2Size)
    return true
  }
  return pairingIsOne(bls12381().mcl, { count: 2, read }, undefined) === true
}

/** Allocates what `verifyOpening` compares; it stays in memory. */
export const allocateOpening = () => {
  const { mcl, codec } = bls12381()
  const commitment = mcl._malloc(2 * g1Size + 2 * frSize)
  const proof = commitment + g1Size
  const z = proof + g1Size
  return { codec, commitment, proof, z, y: z + frSize }
}

/**
 * Checks by a proof π that the polynomial of a commitment C has the value y at z: with the setup's secret τ,
 * that is e(C - y·G1, G2) = e(π, τ·G2 - z·G2). Overwrites the commitment and the proof in memory.
 */
export const verifyOpening = (commitment: number, z: number, y: number, proof: number): boolean => {
  const { mcl, generator1, tau, product, shifted } = openingPoints()
  mcl._mclBnG1_mul(product, generator1, y)
  mcl._mclBnG1_sub(commitment, commitment, product)
  mcl._mclBnG1_neg(proof, proof)
  mcl._mclBnG2_mul(product, generator2(), z)
  mcl._mclBnG2_sub(shifted, tau, product)
  return isPairingOne(commitment, generator2(), proof, shifted)
}
