import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '../../../src/base/crypto/crypto.ts'
import { concatBytes, fromBigInt } from '../../../src/base/encoding/bytes.ts'
import { versionedHash } from '../../../src/chain/transaction/pooled.ts'
import type { Random } from '../random.ts'

/** Inputs for each precompile: mostly valid ones, with the edge cases that implementations get wrong. */

const lazily = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const word = (value: bigint): Uint8Array => fromBigInt(value, 32)
const scalars = [1n, 2n, 3n, 0x1234_5678_9abc_def0n, 2n ** 200n + 77n, 2n ** 253n - 9n]

const bnG1 = lazily(() => [
  new Uint8Array(64),
  ...scalars.map((k) => {
    const { x, y } = bn254.G1.Point.BASE.multiply(k % bn254.fields.Fr.ORDER).toAffine()
    return concatBytes(word(x), word(y))
  }),
])

const bnG2Bytes = (point: { x: { c0: bigint; c1: bigint }; y: { c0: bigint; c1: bigint } }): Uint8Array =>
  concatBytes(word(point.x.c1), word(point.x.c0), word(point.y.c1), word(point.y.c0))

/** A point on the twist outside the subgroup: almost every x has one. */
const bnG2Outside = lazily(() => {
  const { Fp2 } = bn254.fields
  const b = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }))
  for (let index = 1n; ; index++) {
    const x = Fp2.create({ c0: index, c1: 1n })
    const squared = Fp2.add(Fp2.mul(Fp2.sqr(x), x), b)
    try {
      return bnG2Bytes({ x, y: Fp2.sqrt(squared) })
    } catch {
      // no point has this x
    }
  }
})

const bnG2 = lazily(() => [
  new Uint8Array(128),
  bnG2Outside(),
  ...scalars.map((k) => bnG2Bytes(bn254.G2.Point.BASE.multiply(k).toAffine())),
])

const blsField = (value: bigint): Uint8Array => fromBigInt(value, 64)

const blsG1Outside = lazily(() => {
  const { Fp } = bls12_381.fields
  for (let x = 5n; ; x++) {
    try {
      return concatBytes(blsField(x), blsField(Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n))))
    } catch {
      // no point has this x
    }
  }
})

const blsG1 = lazily(() => [
  new Uint8Array(128),
  blsG1Outside(),
  ...scalars.map((k) => {
    const { x, y } = bls12_381.G1.Point.BASE.multiply(k).toAffine()
    return concatBytes(blsField(x), blsField(y))
  }),
])

type Fp2Value = { c0: bigint; c1: bigint }
const blsG2Bytes = (x: Fp2Value, y: Fp2Value): Uint8Array =>
  concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(blsField))

const blsG2Outside = lazily(() => {
  const { Fp2 } = bls12_381.fields
  for (let index = 3n; ; index++) {
    const x = Fp2.create({ c0: index, c1: 2n })
    try {
      return blsG2Bytes(x, Fp2.sqrt(Fp2.add(Fp2.mul(Fp2.sqr(x), x), Fp2.create({ c0: 4n, c1: 4n }))))
    } catch {
      // no point has this x
    }
  }
})

const blsG2 = lazily(() => [
  new Uint8Array(256),
  blsG2Outside(),
  ...scalars.map((k) => {
    const { x, y } = bls12_381.G2.Point.BASE.multiply(k).toAffine()
    return blsG2Bytes(x, y)
  }),
])

/**
 * Returns a point of a list. The second one is outside the subgroup, which makes a whole call fail, and is chosen
 * seldom.
 */
const mostlyInside = (random: Random, points: readonly Uint8Array[]): Uint8Array =>
  random.pick(random.chance(0.1) ? points : points.filter((_, index) => index !== 1))

const repeat = (random: Random, most: number, make: () => Uint8Array): Uint8Array =>
  concatBytes(...Array.from({ length: random.chance(0.05) ? 0 : 1 + random.below(most) }, make))

const recovery = (random: Random): Uint8Array => {
  const key = word((random.integer(255) % 2n ** 254n) + 1n)
  const hash = random.bytes(32)
  const { compact, recovery: bit } = secp256k1.sign(hash, key)
  return concatBytes(hash, word(BigInt(27 + bit)), compact)
}

const modexp = (random: Random): Uint8Array => {
  const part = () => random.bytes(random.pick([0, 1, 2, 8, 9, 16, 31, 32, 33, 40, 64, 65]))
  const [base, exponent, modulus] = [part(), part(), part()] as const
  if (modulus.length > 0 && random.chance(0.4)) modulus[modulus.length - 1] = random.pick([0, 1, 0x80])
  return concatBytes(
    ...[base, exponent, modulus].map(({ length }) => word(BigInt(length))),
    base,
    exponent,
    modulus,
  )
}

const blake = (random: Random): Uint8Array =>
  concatBytes(Uint8Array.of(0, 0, 0, random.below(30)), random.bytes(208), Uint8Array.of(random.below(2)))

const commitments = lazily(() => scalars.map((y) => bls12_381.G1.Point.BASE.multiply(y).toBytes(true)))

/** A constant polynomial: its commitment is y·G1 and its proof infinity, at any z. */
const evaluation = (random: Random): Uint8Array => {
  const chosen = random.below(scalars.length)
  const y = scalars[chosen] as bigint
  const commitment = commitments()[chosen] as Uint8Array
  const infinity = new Uint8Array(48)
  infinity[0] = 0xc0
  const value = random.chance(0.8) ? y : y + 1n
  return concatBytes(versionedHash(commitment), word(random.integer(254)), word(value), commitment, infinity)
}

const signature = (random: Random): Uint8Array => {
  const key = word((random.integer(250) % 2n ** 250n) + 1n)
  const hash = random.bytes(32)
  const compact = p256.sign(hash, key, { prehash: false, lowS: false })
  return concatBytes(hash, compact, p256.getPublicKey(key, false).subarray(1))
}

/** Pairs whose product is one: e(a·P, Q)·e(-a·P, Q), the second point by negating y. */
const bnPairs = (random: Random): Uint8Array => {
  const g1 = random.pick(bnG1().slice(1))
  const y = bn254.fields.Fp.ORDER - BigInt(`0x${Buffer.from(g1.subarray(32)).toString('hex')}`)
  const g2 = random.pick(bnG2().slice(2))
  return concatBytes(g1, g2, g1.subarray(0, 32), word(y), g2)
}

const makers: Readonly<Record<number, (random: Random) => Uint8Array>> = {
  1: recovery,
  2: (random) => random.bytes(random.below(200)),
  3: (random) => random.bytes(random.below(200)),
  4: (random) => random.bytes(random.below(200)),
  5: modexp,
  6: (random) => concatBytes(random.pick(bnG1()), random.pick(bnG1())),
  7: (random) => concatBytes(random.pick(bnG1()), word(random.integer(256))),
  8: (random) =>
    random.chance(0.4)
      ? bnPairs(random)
      : repeat(random, 3, () => concatBytes(random.pick(bnG1()), mostlyInside(random, bnG2()))),
  9: blake,
  10: evaluation,
  11: (random) => concatBytes(random.pick(blsG1()), random.pick(blsG1())),
  12: (random) => repeat(random, 4, () => concatBytes(random.pick(blsG1()), word(random.integer(256)))),
  13: (random) => concatBytes(random.pick(blsG2()), random.pick(blsG2())),
  14: (random) => repeat(random, 3, () => concatBytes(random.pick(blsG2()), word(random.integer(256)))),
  15: (random) => repeat(random, 2, () => concatBytes(random.pick(blsG1()), random.pick(blsG2()))),
  16: (random) => blsField(random.integer(381)),
  17: (random) => concatBytes(blsField(random.integer(381)), blsField(random.integer(381))),
  256: signature,
}

export const precompileAddresses: readonly number[] = Object.keys(makers).map(Number)

const damaged = (random: Random, input: Uint8Array): Uint8Array => {
  const copy = input.slice()
  switch (random.below(4)) {
    case 0:
      return copy.subarray(0, random.below(copy.length + 1))
    case 1:
      return concatBytes(copy, random.bytes(random.below(40)))
    case 2:
      copy.fill(0xff, 0, Math.min(copy.length, 32))
      return copy
    default:
      if (copy.length > 0) {
        const at = random.below(copy.length)
        copy[at] = (copy[at] as number) ^ (1 << random.below(8))
      }
      return copy
  }
}

export const precompileInput = (address: number, random: Random): Uint8Array => {
  const make = makers[address]
  if (make === undefined) throw new RangeError(`no precompile at ${address}`)
  const input = make(random)
  return random.chance(0.25) ? damaged(random, input) : input
}
