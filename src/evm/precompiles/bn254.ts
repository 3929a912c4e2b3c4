import { lazy } from '../../base/async/lazy.ts'
import { since } from '../../chain/config/forks.ts'
import { createCodec } from '../curves/field.ts'
import { fpSize, frSize, g1Size, loadCurve } from '../curves/mcl.ts'
import { pairingIsOne, pairingResult } from '../curves/pairing.ts'
import type { Precompile } from '../types.ts'
import { padRight } from './input.ts'

/** The curve alt_bn128 of EIP-196 and EIP-197, priced by EIP-1108 from Istanbul. */

export const bn254 = lazy(() => {
  const mcl = loadCurve('bn254')
  mcl._mclBn_verifyOrderG1(0)
  mcl._mclBn_verifyOrderG2(0)
  const left = mcl._malloc(2 * g1Size + frSize)
  const right = left + g1Size
  return { mcl, codec: createCodec(mcl, 32), left, right, scalar: right + g1Size }
})

/** Reads a point of G1; the group is the whole curve, so that a point on it needs no other check. */
const readG1 = (point: number, input: Uint8Array, at: number): boolean => {
  const { codec } = bn254()
  return (
    codec.readField(point, input, at) &&
    codec.readField(point + fpSize, input, at + 32) &&
    codec.finishG1(point)
  )
}

/** Reads a point of G2; EIP-197 has the imaginary part first. */
const readG2 = (point: number, input: Uint8Array, at: number): boolean => {
  const { mcl, codec } = bn254()
  return (
    codec.readField(point + fpSize, input, at) &&
    codec.readField(point, input, at + 32) &&
    codec.readField(point + 3 * fpSize, input, at + 64) &&
    codec.readField(point + 2 * fpSize, input, at + 96) &&
    codec.finishG2(point) &&
    (mcl._mclBnG2_isZero(point) === 1 || mcl._mclBnG2_isValidOrder(point) === 1)
  )
}

const writeG1 = (point: number): Uint8Array => {
  const { mcl, codec } = bn254()
  const output = new Uint8Array(64)
  if (mcl._mclBnG1_isZero(point)) return output
  mcl._mclBnG1_normalize(point, point)
  codec.writeField(output, 0, point)
  codec.writeField(output, 32, point + fpSize)
  return output
}

export const bn254Add: Precompile = {
  gas: (_input, fork) => (since(fork, 'istanbul') ? 150n : 500n),
  run: (input) => {
    const { mcl, left, right } = bn254()
    const points = padRight(input, 128)
    if (!readG1(left, points, 0) || !readG1(right, points, 64)) return undefined
    mcl._mclBnG1_add(left, left, right)
    return writeG1(left)
  },
}

export const bn254Multiply: Precompile = {
  gas: (_input, fork) => (since(fork, 'istanbul') ? 6_000n : 40_000n),
  run: (input) => {
    const { mcl, codec, left, scalar } = bn254()
    const parts = padRight(input, 96)
    if (!readG1(left, parts, 0)) return undefined
    codec.readScalar(scalar, parts, 64)
    mcl._mclBnG1_mul(left, left, scalar)
    return writeG1(left)
  },
}

const pairLength = 192

export const bn254Pairing: Precompile = {
  gas: (input, fork) => {
    const pairs = BigInt(Math.floor(input.length / pairLength))
    return since(fork, 'istanbul') ? 45_000n + 34_000n * pairs : 100_000n + 80_000n * pairs
  },
  run: (input, interrupt) => {
    if (input.length % pairLength !== 0) return undefined
    const read = (index: number, p: number, q: number): boolean =>
      readG1(p, input, index * pairLength) && readG2(q, input, index * pairLength + 64)
    return pairingResult(pairingIsOne(bn254().mcl, { count: input.length / pairLength, read }, interrupt))
  },
}
