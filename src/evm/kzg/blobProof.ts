import { createHash } from 'node:crypto'
import { lazy } from '../../base/async/lazy.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { bls12381 } from '../curves/bls12381.ts'
import { frSize, g1Size } from '../curves/mcl.ts'
import { decodePoint, verifyOpening } from './points.ts'
import { elementsPerBlob, evaluate, order, toCoefficients } from './scalars.ts'

const domain = Buffer.from('FSBLOBVERIFY_V1_')
const degree = fromBigInt(BigInt(elementsPerBlob), 16)

const opening = lazy(() => {
  const { mcl, codec } = bls12381()
  const commitmentPoint = mcl._malloc(2 * g1Size + 2 * frSize)
  const proofPoint = commitmentPoint + g1Size
  const z = proofPoint + g1Size
  return { codec, commitmentPoint, proofPoint, z, y: z + frSize }
})

/**
 * Returns the point at which a blob and its commitment are compared; it is a hash, so that nobody can choose
 * it.
 */
const challenge = (blob: Uint8Array, commitment: Uint8Array): bigint => {
  const hash = createHash('sha256').update(domain).update(degree).update(blob).update(commitment).digest()
  return toBigInt(hash) % order
}

/** Checks that the commitment is the blob's (EIP-4844's `verify_blob_kzg_proof`). */
export const verifyBlobProof = (blob: Uint8Array, commitment: Uint8Array, proof: Uint8Array): boolean => {
  const coefficients = toCoefficients(blob)
  if (coefficients === undefined) return false
  const { codec, commitmentPoint, proofPoint, z, y } = opening()
  if (!decodePoint(commitmentPoint, commitment) || !decodePoint(proofPoint, proof)) return false
  const at = challenge(blob, commitment)
  codec.readScalar(z, fromBigInt(at, 32), 0)
  codec.readScalar(y, fromBigInt(evaluate(coefficients, at), 32), 0)
  return verifyOpening(commitmentPoint, z, y, proofPoint)
}
