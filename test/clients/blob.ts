import { createHash } from 'node:crypto'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { fromBigInt, toBigInt } from '../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../src/base/encoding/hex.ts'
import { g1Powers } from '../../src/evm/kzg/trustedSetup.ts'

/**
 * A blob with its commitment and proofs, made with noble's curve. Its polynomial has less than 64 coefficients: the
 * points of the setup that the project holds are enough for it, and the quotients that prove its cells are zero.
 */

const { Fr } = bls12_381.fields
const elements = 4096
const coefficients = Array.from({ length: 20 }, (_, index) => BigInt(index + 1) ** 50n)

const valueAt = (polynomial: readonly bigint[], x: bigint): bigint =>
  polynomial.reduceRight((sum, coefficient) => Fr.add(Fr.mul(sum, x), Fr.create(coefficient)), 0n)

const commitTo = (polynomial: readonly bigint[]): Uint8Array =>
  polynomial
    .reduce(
      (sum, coefficient, index) =>
        sum.add(
          bls12_381.G1.Point.fromBytes(fromHex(g1Powers[index] as string)).multiplyUnsafe(
            Fr.create(coefficient),
          ),
        ),
      bls12_381.G1.Point.ZERO,
    )
    .toBytes()

const makeBlob = (): Uint8Array => {
  const root = Fr.pow(7n, (Fr.ORDER - 1n) / BigInt(elements))
  const blob = new Uint8Array(32 * elements)
  for (let index = 0, x = 1n; index < elements; index++, x = Fr.mul(x, root)) {
    const place = Number.parseInt(index.toString(2).padStart(12, '0').split('').reverse().join(''), 2)
    blob.set(fromBigInt(valueAt(coefficients, x), 32), 32 * place)
  }
  return blob
}

/** The commitment to (f - f(z)) / (X - z), with z as EIP-4844 derives it. */
const prove = (blob: Uint8Array, commitment: Uint8Array): Uint8Array => {
  const preamble = [Buffer.from('FSBLOBVERIFY_V1_'), fromBigInt(BigInt(elements), 16)]
  const hash = createHash('sha256')
  for (const part of [...preamble, blob, commitment]) hash.update(part)
  const z = Fr.create(toBigInt(hash.digest()))
  const quotient: bigint[] = []
  let carry = 0n
  for (let index = coefficients.length - 1; index > 0; index--) {
    carry = Fr.add(Fr.create(coefficients[index] as bigint), Fr.mul(carry, z))
    quotient.unshift(carry)
  }
  return commitTo(quotient)
}

export interface SampleBlob {
  readonly blob: `0x${string}`
  readonly commitment: `0x${string}`
  readonly proof: `0x${string}`
  readonly cellProofs: readonly `0x${string}`[]
  readonly versionedHash: `0x${string}`
}

const hex = (bytes: Uint8Array): `0x${string}` => toHex(bytes) as `0x${string}`

export const createSampleBlob = (): SampleBlob => {
  const blob = makeBlob()
  const commitment = commitTo(coefficients)
  const hash = createHash('sha256').update(commitment).digest()
  const infinity: `0x${string}` = `0xc0${'00'.repeat(47)}`
  return {
    blob: hex(blob),
    commitment: hex(commitment),
    proof: hex(prove(blob, commitment)),
    cellProofs: Array.from({ length: 128 }, () => infinity),
    versionedHash: `0x01${hash.subarray(1).toString('hex')}`,
  }
}
