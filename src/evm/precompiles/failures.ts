import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { equalBytes, toBigInt } from '../../base/encoding/bytes.ts'

/** The reasons for which precompiles reject their input, in geth's words and in the order of its checks. */

/** The field of alt_bn128 (EIP-196). */
const fieldOrder = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

const notAnElement = 'invalid fp.Element encoding'
const notOnCurve = 'point is not on curve'
const badLength = 'invalid input length'

const wordAt = (input: Uint8Array, at: number): bigint => {
  const word = new Uint8Array(32)
  word.set(input.subarray(at, at + 32))
  return toBigInt(word)
}

const wrongG1 = (input: Uint8Array, at: number): string | undefined => {
  const x = wordAt(input, at)
  const y = wordAt(input, at + 32)
  if (x >= fieldOrder || y >= fieldOrder) return notAnElement
  if (x === 0n && y === 0n) return undefined
  return (y * y - x * x * x - 3n) % fieldOrder === 0n ? undefined : notOnCurve
}

const wrongBn2 = (input: Uint8Array, at: number): string | undefined => {
  const [x1, x0, y1, y0] = [0, 32, 64, 96].map((part) => wordAt(input, at + part)) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ]
  if ([x1, x0, y1, y0].some((element) => element >= fieldOrder)) return notAnElement
  const { Fp2 } = bn254.fields
  const [x, y] = [Fp2.create({ c0: x0, c1: x1 }), Fp2.create({ c0: y0, c1: y1 })]
  if (Fp2.is0(x) && Fp2.is0(y)) return undefined
  const b = Fp2.div(Fp2.create({ c0: 3n, c1: 0n }), Fp2.create({ c0: 9n, c1: 1n }))
  if (!Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), b))) return notOnCurve
  return bn254.G2.Point.fromAffine({ x, y }).isTorsionFree() ? undefined : 'point is not in correct subgroup'
}

const wrongPairing = (input: Uint8Array): string => {
  if (input.length % 192 !== 0) return 'bad elliptic curve pairing size'
  for (let at = 0; at < input.length; at += 192) {
    const wrong = wrongG1(input, at) ?? wrongBn2(input, at + 64)
    if (wrong !== undefined) return wrong
  }
  return notOnCurve
}

const wrongBlob = (input: Uint8Array): string => {
  if (input.length !== 192) return badLength
  const versioned = sha256(input.subarray(96, 144))
  versioned[0] = 1
  return equalBytes(versioned, input.subarray(0, 32))
    ? 'error verifying kzg proof'
    : 'mismatched versioned hash'
}

const offBlsCurve = 'invalid point: not on curve'

/** Returns an element of the BLS12-381 field from 64 bytes, or the text of its error. */
const blsElement = (input: Uint8Array, at: number): bigint | string => {
  if (input.subarray(at, at + 16).some((byte) => byte !== 0)) return 'invalid field element top bytes'
  const value = toBigInt(input.subarray(at + 16, at + 64))
  return value < bls12_381.fields.Fp.ORDER ? value : notAnElement
}

const wrongBls1 = (input: Uint8Array, at: number, isInSubgroup: boolean): string | undefined => {
  const [x, y] = [blsElement(input, at), blsElement(input, at + 64)]
  if (typeof x === 'string') return x
  if (typeof y === 'string') return y
  if (x === 0n && y === 0n) return undefined
  if ((y * y - x * x * x - 4n) % bls12_381.fields.Fp.ORDER !== 0n) return offBlsCurve
  const isRight = !isInSubgroup || bls12_381.G1.Point.fromAffine({ x, y }).isTorsionFree()
  return isRight ? undefined : 'g1 point is not on correct subgroup'
}

const wrongBls2 = (input: Uint8Array, at: number, isInSubgroup: boolean): string | undefined => {
  const elements: bigint[] = []
  for (let part = 0; part < 256; part += 64) {
    const element = blsElement(input, at + part)
    if (typeof element === 'string') return element
    elements.push(element)
  }
  const [x0, x1, y0, y1] = elements as [bigint, bigint, bigint, bigint]
  const { Fp2 } = bls12_381.fields
  const [x, y] = [Fp2.create({ c0: x0, c1: x1 }), Fp2.create({ c0: y0, c1: y1 })]
  if (Fp2.is0(x) && Fp2.is0(y)) return undefined
  const b = Fp2.create({ c0: 4n, c1: 4n })
  if (!Fp2.eql(Fp2.sqr(y), Fp2.add(Fp2.mul(Fp2.sqr(x), x), b))) return offBlsCurve
  const isRight = !isInSubgroup || bls12_381.G2.Point.fromAffine({ x, y }).isTorsionFree()
  return isRight ? undefined : 'g2 point is not on correct subgroup'
}

/**
 * The input of a BLS12-381 precompile: the length of one part, and a function that returns the error of a
 * part.
 */
interface BlsForm {
  readonly length: number
  readonly isMany: boolean
  readonly wrong: (input: Uint8Array, at: number) => string | undefined
}

const elementOnly = (input: Uint8Array, at: number): string | undefined => {
  const element = blsElement(input, at)
  return typeof element === 'string' ? element : undefined
}

const blsForms: Readonly<Record<number, BlsForm>> = {
  11: {
    length: 256,
    isMany: false,
    wrong: (input, at) => wrongBls1(input, at, false) ?? wrongBls1(input, at + 128, false),
  },
  12: { length: 160, isMany: true, wrong: (input, at) => wrongBls1(input, at, true) },
  13: {
    length: 512,
    isMany: false,
    wrong: (input, at) => wrongBls2(input, at, false) ?? wrongBls2(input, at + 256, false),
  },
  14: { length: 288, isMany: true, wrong: (input, at) => wrongBls2(input, at, true) },
  15: {
    length: 384,
    isMany: true,
    // Both are decoded before either is checked for its subgroup.
    wrong: (input, at) =>
      wrongBls1(input, at, false) ??
      wrongBls2(input, at + 128, false) ??
      wrongBls1(input, at, true) ??
      wrongBls2(input, at + 128, true),
  },
  16: { length: 64, isMany: false, wrong: elementOnly },
  17: {
    length: 128,
    isMany: false,
    wrong: (input, at) => elementOnly(input, at) ?? elementOnly(input, at + 64),
  },
}

const wrongBls = (number: number, input: Uint8Array): string => {
  const form = blsForms[number]
  if (form === undefined) return 'precompile failed'
  const { length, isMany, wrong } = form
  const isRight = isMany ? input.length > 0 && input.length % length === 0 : input.length === length
  if (!isRight) return badLength
  for (let at = 0; at < input.length; at += length) {
    const found = wrong(input, at)
    if (found !== undefined) return found
  }
  return offBlsCurve
}

export const describePrecompileFailure = (number: number, input: Uint8Array): string => {
  switch (number) {
    case 5:
      return 'one or more of base/exponent/modulus length exceeded 1024 bytes'
    case 6:
      return wrongG1(input, 0) ?? wrongG1(input, 64) ?? notOnCurve
    case 7:
      return wrongG1(input, 0) ?? notOnCurve
    case 8:
      return wrongPairing(input)
    case 9:
      return input.length === 213 ? 'invalid final flag' : badLength
    case 10:
      return wrongBlob(input)
    default:
      return wrongBls(number, input)
  }
}
