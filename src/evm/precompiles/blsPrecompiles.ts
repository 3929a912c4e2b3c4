import { bls12381 } from '../curves/bls12381.ts'
import { withMemory } from '../curves/field.ts'
import { fpSize, frSize, g1Size, g2Size, type Mcl } from '../curves/mcl.ts'
import { pairingIsOne, pairingResult } from '../curves/pairing.ts'
import type { Precompile } from '../types.ts'
import { g1Discounts, g2Discounts } from './discounts.ts'

/**
 * The curve BLS12-381 of EIP-2537. Additions accept any point of the curve, the others only points of the
 * subgroup.
 */

const fieldLength = 64
const g1Length = 128
const g2Length = 256
const scalarLength = 32

/** Reads a field element: 48 bytes after 16 zeros. */
const readField = (out: number, input: Uint8Array, at: number): boolean => {
  for (let index = at; index < at + 16; index++) if (input[index] !== 0) return false
  return bls12381().codec.readField(out, input, at + 16)
}

const readG1 = (point: number, input: Uint8Array, at: number): boolean =>
  readField(point, input, at) &&
  readField(point + fpSize, input, at + fieldLength) &&
  bls12381().codec.finishG1(point)

const readG2 = (point: number, input: Uint8Array, at: number): boolean => {
  for (let part = 0; part < 4; part++)
    if (!readField(point + part * fpSize, input, at + part * fieldLength)) return false
  return bls12381().codec.finishG2(point)
}

const readG1InSubgroup = (point: number, input: Uint8Array, at: number): boolean =>
  readG1(point, input, at) && bls12381().mcl._mclBnG1_isValidOrder(point) === 1

const readG2InSubgroup = (point: number, input: Uint8Array, at: number): boolean =>
  readG2(point, input, at) && bls12381().mcl._mclBnG2_isValidOrder(point) === 1

const writeG1 = (point: number): Uint8Array => {
  const { mcl, codec } = bls12381()
  const output = new Uint8Array(g1Length)
  if (mcl._mclBnG1_isZero(point)) return output
  mcl._mclBnG1_normalize(point, point)
  codec.writeField(output, 16, point)
  codec.writeField(output, fieldLength + 16, point + fpSize)
  return output
}

const writeG2 = (point: number): Uint8Array => {
  const { mcl, codec } = bls12381()
  const output = new Uint8Array(g2Length)
  if (mcl._mclBnG2_isZero(point)) return output
  mcl._mclBnG2_normalize(point, point)
  for (let part = 0; part < 4; part++)
    codec.writeField(output, part * fieldLength + 16, point + part * fpSize)
  return output
}

export const blsG1Add: Precompile = {
  gas: () => 375n,
  run: (input) => {
    if (input.length !== 2 * g1Length) return undefined
    const { mcl, left, right } = bls12381()
    if (!readG1(left, input, 0) || !readG1(right, input, g1Length)) return undefined
    mcl._mclBnG1_add(left, left, right)
    return writeG1(left)
  },
}

export const blsG2Add: Precompile = {
  gas: () => 600n,
  run: (input) => {
    if (input.length !== 2 * g2Length) return undefined
    const { mcl, left, right } = bls12381()
    if (!readG2(left, input, 0) || !readG2(right, input, g2Length)) return undefined
    mcl._mclBnG2_add(left, left, right)
    return writeG2(left)
  },
}

interface Group {
  /** The gas of one multiplication. */
  readonly price: bigint
  readonly discounts: readonly number[]
  readonly encodedLength: number
  readonly size: number
  readonly read: (point: number, input: Uint8Array, at: number) => boolean
  readonly write: (point: number) => Uint8Array
  readonly multiply: (mcl: Mcl) => (out: number, points: number, scalars: number, count: number) => void
  readonly add: (mcl: Mcl) => (out: number, a: number, b: number) => void
}

/** The number of points in one sum: enough for the library's bucket method, few enough to stop soon. */
const chunk = 256

const createMultiScalar = (group: Group): Precompile => {
  const pairLength = group.encodedLength + scalarLength
  return {
    gas: (input) => {
      const count = Math.floor(input.length / pairLength)
      if (count === 0) return 0n
      const discount = group.discounts[Math.min(count, group.discounts.length) - 1] as number
      return (BigInt(count) * group.price * BigInt(discount)) / 1000n
    },
    run: (input, interrupt) => {
      if (input.length === 0 || input.length % pairLength !== 0) return undefined
      const { mcl, codec, left, right } = bls12381()
      const [multiply, add] = [group.multiply(mcl), group.add(mcl)]
      const count = input.length / pairLength
      const room = Math.min(count, chunk)
      return withMemory(mcl, room * (group.size + frSize), (points) => {
        const scalars = points + room * group.size
        for (let from = 0; from < count; from += chunk) {
          const part = Math.min(chunk, count - from)
          for (let index = 0; index < part; index++) {
            if (interrupt?.()) return undefined
            const at = (from + index) * pairLength
            if (!group.read(points + index * group.size, input, at)) return undefined
            codec.readScalar(scalars + index * frSize, input, at + group.encodedLength)
          }
          multiply(from === 0 ? left : right, points, scalars, part)
          if (from > 0) add(left, left, right)
        }
        return group.write(left)
      })
    },
  }
}

export const blsG1MultiScalar = createMultiScalar({
  price: 12_000n,
  discounts: g1Discounts,
  encodedLength: g1Length,
  size: g1Size,
  read: readG1InSubgroup,
  write: writeG1,
  multiply: (mcl) => mcl._mclBnG1_mulVec,
  add: (mcl) => mcl._mclBnG1_add,
})

export const blsG2MultiScalar = createMultiScalar({
  price: 22_500n,
  discounts: g2Discounts,
  encodedLength: g2Length,
  size: g2Size,
  read: readG2InSubgroup,
  write: writeG2,
  multiply: (mcl) => mcl._mclBnG2_mulVec,
  add: (mcl) => mcl._mclBnG2_add,
})

const pairLength = g1Length + g2Length

export const blsPairing: Precompile = {
  gas: (input) => 37_700n + 32_600n * BigInt(Math.floor(input.length / pairLength)),
  run: (input, interrupt) => {
    if (input.length === 0 || input.length % pairLength !== 0) return undefined
    const read = (index: number, p: number, q: number): boolean =>
      readG1InSubgroup(p, input, index * pairLength) &&
      readG2InSubgroup(q, input, index * pairLength + g1Length)
    return pairingResult(pairingIsOne(bls12381().mcl, { count: input.length / pairLength, read }, interrupt))
  },
}

export const blsMapToG1: Precompile = {
  gas: () => 5_500n,
  run: (input) => {
    if (input.length !== fieldLength) return undefined
    const { mcl, left, right } = bls12381()
    if (!readField(right, input, 0)) return undefined
    mcl._mclBnFp_mapToG1(left, right)
    return writeG1(left)
  },
}

export const blsMapToG2: Precompile = {
  gas: () => 23_800n,
  run: (input) => {
    if (input.length !== 2 * fieldLength) return undefined
    const { mcl, left, right } = bls12381()
    if (!readField(right, input, 0) || !readField(right + fpSize, input, fieldLength)) return undefined
    mcl._mclBnFp2_mapToG2(left, right)
    return writeG2(left)
  },
}
