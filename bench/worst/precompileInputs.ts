import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { concatBytes, fromBigInt } from '../../src/base/encoding/bytes.ts'
import { precompilesAt } from '../../src/evm/precompiles/precompileTable.ts'
import { precompileInput } from '../../test/support/evm/precompileInputs.ts'
import { createRandom } from '../../test/support/random.ts'

/** Inputs that are hard for precompiles, and the parts they are made of. */

export const word = (value: bigint): Uint8Array => fromBigInt(value, 32)
export const field = (value: bigint): Uint8Array => fromBigInt(value, 64)
export const ones = (length: number): Uint8Array => new Uint8Array(length).fill(0xff)
export const even = (length: number): Uint8Array => ones(length).fill(0, Math.ceil(length / 2))
export const repeated = (part: Uint8Array, count: number): Uint8Array =>
  concatBytes(...Array<Uint8Array>(count).fill(part))

export const modexp = (base: number, exponent: number, modulus: Uint8Array): Uint8Array =>
  concatBytes(
    ...[base, exponent, modulus.length].map((length) => word(BigInt(length))),
    new Uint8Array(base).fill(0xfe),
    ones(exponent),
    modulus,
  )

/** A valid input of the fuzzer's generators. */
export const sample = (address: number): Uint8Array => {
  const precompile = precompilesAt('osaka').get(address)
  for (let seed = 0; ; seed++) {
    const input = precompileInput(address, createRandom(seed))
    if (input.length > 0 && (precompile?.run(input)?.length ?? 0) > 0) return input
  }
}

const firstScalar = 12_345_678_901_234_567n
const secondScalar = 98_765_432_109_876_543n
const bnG1 = bn254.G1.Point.BASE.multiply(firstScalar).toAffine()
const bnG2 = bn254.G2.Point.BASE.multiply(secondScalar).toAffine()
const blsG1 = bls12_381.G1.Point.BASE.multiply(firstScalar).toAffine()
const blsG2 = bls12_381.G2.Point.BASE.multiply(secondScalar).toAffine()

export const bnPair = concatBytes(...[bnG1.x, bnG1.y, bnG2.x.c1, bnG2.x.c0, bnG2.y.c1, bnG2.y.c0].map(word))
export const g1Bytes = concatBytes(...[blsG1.x, blsG1.y].map(field))
export const g2Bytes = concatBytes(...[blsG2.x.c0, blsG2.x.c1, blsG2.y.c0, blsG2.y.c1].map(field))
export const scalar = ones(32)
