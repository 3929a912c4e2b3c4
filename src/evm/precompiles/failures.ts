import { equalBytes, toBigInt } from '../../base/encoding/bytes.ts'
import { versionedHash } from '../../chain/transaction/pooled.ts'
import { bls12381 } from '../curves/bls12381.ts'
import { type CurveCodec, withMemory } from '../curves/field.ts'
import { fpSize, g1Size, g2Size, type Mcl } from '../curves/mcl.ts'
import { bn254 } from './bn254.ts'

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
  const words = padTo(input, at, 128)
  if ([0, 32, 64, 96].some((part) => wordAt(words, part) >= fieldOrder)) return notAnElement
  // EIP-197 has the imaginary part first.
  return wrongG2(bn254(), words, [32, 0, 96, 64], {
    offCurve: notOnCurve,
    outside: 'point is not in correct subgroup',
  })
}

/** Returns `length` bytes from a position on, zeros where the input has ended. */
const padTo = (input: Uint8Array, at: number, length: number): Uint8Array => {
  const padded = new Uint8Array(length)
  padded.set(input.subarray(at, at + length))
  return padded
}

interface Curve {
  readonly mcl: Mcl
  readonly codec: CurveCodec
}

interface PointErrors {
  readonly offCurve: string
  readonly outside: string
}

/** Checks a point of G2 whose four field elements, in the order of mcl, are at these places and are in the field. */
const wrongG2 = (
  { mcl, codec }: Curve,
  input: Uint8Array,
  places: readonly number[],
  { offCurve, outside }: PointErrors,
): string | undefined =>
  withMemory(mcl, g2Size, (point) => {
    for (const [part, place] of places.entries()) codec.readField(point + part * fpSize, input, place)
    if (!codec.finishG2(point)) return offCurve
    return mcl._mclBnG2_isZero(point) || mcl._mclBnG2_isValidOrder(point) ? undefined : outside
  })

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
  return equalBytes(versionedHash(input.subarray(96, 144)), input.subarray(0, 32))
    ? 'error verifying kzg proof'
    : 'mismatched versioned hash'
}

/** The field of BLS12-381 (EIP-2537). */
const blsFieldOrder =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn

const offBlsCurve = 'invalid point: not on curve'

/** Returns an element of the BLS12-381 field from 64 bytes, or the text of its error. */
const blsElement = (input: Uint8Array, at: number): bigint | string => {
  if (input.subarray(at, at + 16).some((byte) => byte !== 0)) return 'invalid field element top bytes'
  const value = toBigInt(input.subarray(at + 16, at + 64))
  return value < blsFieldOrder ? value : notAnElement
}

const wrongBls1 = (input: Uint8Array, at: number, isInSubgroup: boolean): string | undefined => {
  const [x, y] = [blsElement(input, at), blsElement(input, at + 64)]
  if (typeof x === 'string') return x
  if (typeof y === 'string') return y
  if (x === 0n && y === 0n) return undefined
  if ((y * y - x * x * x - 4n) % blsFieldOrder !== 0n) return offBlsCurve
  return isInSubgroup && !isInBlsG1(input, at) ? 'g1 point is not on correct subgroup' : undefined
}

const wrongBls2 = (input: Uint8Array, at: number, isInSubgroup: boolean): string | undefined => {
  const parts = [0, 64, 128, 192].map((part) => at + part)
  for (const part of parts) {
    const element = blsElement(input, part)
    if (typeof element === 'string') return element
  }
  const outside = 'g2 point is not on correct subgroup'
  // Elements are 48 bytes after 16 zeros.
  const places = parts.map((part) => part + 16)
  const wrong = wrongG2(bls12381(), input, places, { offCurve: offBlsCurve, outside })
  return wrong === outside && !isInSubgroup ? undefined : wrong
}

const isInBlsG1 = (input: Uint8Array, at: number): boolean => {
  const { mcl, codec } = bls12381()
  return withMemory(mcl, g1Size, (point) => {
    codec.readField(point, input, at + 16)
    codec.readField(point + fpSize, input, at + 80)
    return codec.finishG1(point) && mcl._mclBnG1_isValidOrder(point) === 1
  })
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
