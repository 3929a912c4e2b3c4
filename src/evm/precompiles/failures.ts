import { sha256 } from '@noble/hashes/sha2.js'
import { equalBytes, toBigInt } from '../../base/bytes.ts'

/** Why a precompile refuses its input, in geth's words: what it finds wrong first. */

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

const wrongPairing = (input: Uint8Array): string => {
  if (input.length % 192 !== 0) return 'bad elliptic curve pairing size'
  for (let at = 0; at < input.length; at += 192) {
    const wrong = wrongG1(input, at)
    if (wrong !== undefined) return wrong
    for (let part = 64; part < 192; part += 32)
      if (wordAt(input, at + part) >= fieldOrder) return notAnElement
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

/** Lengths of the inputs of the BLS12-381 precompiles, or of one of their parts. */
const blsLengths: Readonly<Record<number, { readonly length: number; readonly isMany: boolean }>> = {
  11: { length: 256, isMany: false },
  12: { length: 160, isMany: true },
  13: { length: 512, isMany: false },
  14: { length: 288, isMany: true },
  15: { length: 384, isMany: true },
  16: { length: 64, isMany: false },
  17: { length: 128, isMany: false },
}

const wrongBls = (number: number, input: Uint8Array): string => {
  const wanted = blsLengths[number]
  if (wanted === undefined) return 'precompile failed'
  const { length, isMany } = wanted
  const isRight = isMany ? input.length > 0 && input.length % length === 0 : input.length === length
  if (!isRight) return badLength
  return input.subarray(0, 16).some((byte) => byte !== 0)
    ? 'invalid field element top bytes'
    : 'invalid point: not on curve'
}

export const precompileFailure = (number: number, input: Uint8Array): string => {
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
