import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { versionedHash } from '../../chain/transaction/pooled.ts'
import type { Precompile } from '../types.ts'
import { codec, mcl } from './bls12381.ts'
import { frSize, g1Size, g2Size } from './mcl.ts'
import { pairingIsOne } from './pairing.ts'

/**
 * EIP-4844: whether the polynomial behind a commitment has the value y at z. With the commitment C, the proof π and
 * the setup's secret τ that is e(C - y·G1, G2) = e(π, τ·G2 - z·G2). Of the setup only τ·G2 takes part, so no trusted
 * setup of 4,096 points (seconds to load) is needed.
 */

const g1Generator =
  '0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb'
const g2Generator =
  '0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8'
/** The second G2 point of the ceremony's `trusted_setup.txt`. */
export const tauG2 =
  '0xb5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

/** FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS: what a verified call returns. */
const success = concatBytes(
  fromHex(`0x${(4096).toString(16).padStart(64, '0')}`),
  fromHex('0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001'),
)

const inputLength = 192

const memory = mcl._malloc(3 * g1Size + 4 * g2Size + 2 * frSize + 96)
const generator1 = memory
const commitment = generator1 + g1Size
const proof = commitment + g1Size
const generator2 = proof + g1Size
const tau = generator2 + g2Size
const shifted = tau + g2Size
const product = shifted + g2Size
const z = product + g2Size
const y = z + frSize
const bytes = y + frSize

type Deserialize = (out: number, bytes: number, length: number) => number

/** The compressed form of EIP-2537's curve (flags in the three highest bits), for the length of the call only. */
const decompress = (deserialize: Deserialize, out: number, compressed: Uint8Array): boolean => {
  new Uint8Array(mcl.wasmMemory.buffer).set(compressed, bytes)
  mcl._mclBn_setETHserialization(1)
  const consumed = deserialize(out, bytes, compressed.length)
  mcl._mclBn_setETHserialization(0)
  return consumed === compressed.length
}

decompress(mcl._mclBnG1_deserialize, generator1, fromHex(g1Generator))
decompress(mcl._mclBnG2_deserialize, generator2, fromHex(g2Generator))
decompress(mcl._mclBnG2_deserialize, tau, fromHex(tauG2))

const compressedFlag = 0x80
const infinityFlag = 0x40

const readPoint = (out: number, compressed: Uint8Array): boolean => {
  const first = compressed[0] as number
  if ((first & compressedFlag) === 0) return false
  if ((first & infinityFlag) !== 0) {
    mcl._mclBnG1_clear(out)
    return first === (compressedFlag | infinityFlag) && compressed.subarray(1).every((byte) => byte === 0)
  }
  return decompress(mcl._mclBnG1_deserialize, out, compressed) && mcl._mclBnG1_isValidOrder(out) === 1
}

/** Copies `size` bytes within mcl's memory. */
const copy = (to: number, from: number, size: number): void => {
  new Uint8Array(mcl.wasmMemory.buffer).copyWithin(to, from, from + size)
}

const isProven = (): boolean => {
  // e(C - y·G1, G2) · e(-π, τ·G2 - z·G2) = 1
  mcl._mclBnG1_mul(product, generator1, y)
  mcl._mclBnG1_sub(commitment, commitment, product)
  mcl._mclBnG1_neg(proof, proof)
  mcl._mclBnG2_mul(product, generator2, z)
  mcl._mclBnG2_sub(shifted, tau, product)
  const read = (index: number, p: number, q: number): boolean => {
    copy(p, index === 0 ? commitment : proof, g1Size)
    copy(q, index === 0 ? generator2 : shifted, g2Size)
    return true
  }
  return pairingIsOne(mcl, { count: 2, read }, undefined) === true
}

/** Versioned hash, z, y, commitment, proof. */
export const pointEvaluation: Precompile = {
  gas: () => 50_000n,
  run: (input) => {
    if (input.length !== inputLength) return undefined
    const compressedCommitment = input.subarray(96, 144)
    if (!equalBytes(input.subarray(0, 32), versionedHash(compressedCommitment))) return undefined
    if (!codec.readOrderedScalar(z, input, 32) || !codec.readOrderedScalar(y, input, 64)) return undefined
    if (!readPoint(commitment, compressedCommitment)) return undefined
    if (!readPoint(proof, input.subarray(144, 192))) return undefined
    return isProven() ? success.slice() : undefined
  },
}
