import { lazy } from '../../base/async/lazy.ts'
import { concatBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { versionedHash } from '../../chain/transaction/pooled.ts'
import { allocateOpening, decodePoint, verifyOpening } from '../kzg/points.ts'
import type { Precompile } from '../types.ts'

/** EIP-4844: verifies that the polynomial of a commitment has the value y at z. */

/** The output of a verified call: FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS. */
const success = concatBytes(
  fromHex(`0x${(4096).toString(16).padStart(64, '0')}`),
  fromHex('0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001'),
)

const inputLength = 192

const opening = lazy(allocateOpening)

/** The precompile; its input is versioned hash, z, y, commitment and proof. */
export const pointEvaluation: Precompile = {
  gas: () => 50_000n,
  run: (input) => {
    if (input.length !== inputLength) return undefined
    const compressedCommitment = input.subarray(96, 144)
    if (!equalBytes(input.subarray(0, 32), versionedHash(compressedCommitment))) return undefined
    const { codec, commitment, proof, z, y } = opening()
    if (!codec.readOrderedScalar(z, input, 32) || !codec.readOrderedScalar(y, input, 64)) return undefined
    if (!decodePoint(commitment, compressedCommitment)) return undefined
    if (!decodePoint(proof, input.subarray(144, 192))) return undefined
    return verifyOpening(commitment, z, y, proof) ? success.slice() : undefined
  },
}
