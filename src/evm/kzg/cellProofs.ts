import { createHash } from 'node:crypto'
import { lazy } from '../../base/async/lazy.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { bls12381 } from '../curves/bls12381.ts'
import { withMemory } from '../curves/field.ts'
import { frSize, g1Size } from '../curves/mcl.ts'
import { allocateG1, allocateG2, copy, decodePoint, generator2, isPairingOne } from './points.ts'
import { order, powers, reduce, rootOfUnity, toCoefficients } from './scalars.ts'
import { g1Powers, tau64G2 } from './trustedSetup.ts'

/**
 * EIP-7594: a blob's polynomial f, of 4,096 coefficients, has 128 cells. Cell k is f on the 64 points x with
 * x^64 = c_k, where c_k are the 128th roots of unity. Its proof π_k is the commitment to
 * (f - I_k) / (X^64 - c_k), where I_k = f mod (X^64 - c_k) has 64 coefficients. So, with τ the setup's secret,
 *   e(π_k, τ^64·G2 - c_k·G2) = e(C - [I_k], G2)
 * and for all of them at once, weighed by powers of a number that nobody can choose,
 *   e(Σ w_k·π_k, τ^64·G2) = e(Σ w_k·C - [Σ w_k·I_k] + Σ w_k·c_k·π_k, G2).
 * The cells themselves are not needed: coefficient j of I_k is Σ_i f_(64i+j)·c_k^i, so that of the sum is
 * Σ_i f_(64i+j)·s_i with s_i = Σ_k w_k·c_k^i.
 */

const cells = 128
const cellElements = 64

const reverseBits = (index: number, bits: number): number => {
  let result = 0
  for (let bit = 0; bit < bits; bit++) result |= ((index >> bit) & 1) << (bits - 1 - bit)
  return result
}

const cellRoots = powers(rootOfUnity(cells), cells)
/** The exponents of c_k. */
const exponents = Array.from({ length: cells }, (_, cell) => reverseBits(cell, 7))

const setup = lazy(() => ({ points: g1Powers.map(allocateG1), tau64: allocateG2(tau64G2) }))

interface Claim {
  readonly blobs: readonly Uint8Array[]
  readonly commitments: readonly Uint8Array[]
  /** The proofs, 128 for each blob. */
  readonly proofs: readonly Uint8Array[]
}

const weightBase = ({ blobs, commitments, proofs }: Claim): bigint => {
  const hash = createHash('sha256')
  for (const part of [...commitments, ...proofs, ...blobs]) hash.update(part)
  return toBigInt(hash.digest()) % order
}

/** Returns s_i of one blob. */
const foldWeights = (weights: readonly bigint[]): bigint[] =>
  Array.from({ length: cellElements }, (_, i) => {
    let sum = 0n
    for (const [cell, weight] of weights.entries())
      sum += weight * (cellRoots[((exponents[cell] as number) * i) % cells] as bigint)
    return sum % order
  })

/** Adds one blob's part to the coefficients of Σ w_k·I_k. */
const addRemainders = (sums: bigint[], coefficients: readonly bigint[], folded: readonly bigint[]): void => {
  for (let j = 0; j < cellElements; j++) {
    let sum = sums[j] as bigint
    for (let i = 0; i < cellElements; i++)
      sum += (coefficients[cellElements * i + j] as bigint) * (folded[i] as bigint)
    sums[j] = sum % order
  }
}

/** A sum of points, each with its scalar. */
class LinearCombination {
  readonly #points: number
  readonly #scalars: number
  #count = 0

  constructor(points: number, scalars: number) {
    this.#points = points
    this.#scalars = scalars
  }

  add(point: number, scalar: bigint): void {
    copy(this.#points + this.#count * g1Size, point, g1Size)
    bls12381().codec.readScalar(this.#scalars + this.#count * frSize, fromBigInt(reduce(scalar), 32), 0)
    this.#count++
  }

  sum(out: number): void {
    bls12381().mcl._mclBnG1_mulVec(out, this.#points, this.#scalars, this.#count)
  }
}

/**
 * Verifies all cells of all blobs, and with them the commitments (EIP-7594's `verify_cell_kzg_proof_batch`).
 */
export const verifyCellProofs = (claim: Claim): boolean => {
  const { mcl } = bls12381()
  const { points: setupPoints, tau64 } = setup()
  const { blobs, commitments, proofs } = claim
  const polynomials = blobs.map(toCoefficients)
  const room = proofs.length + commitments.length + cellElements
  return withMemory(mcl, 2 * room * (g1Size + frSize) + 3 * g1Size, (memory) => {
    const [point, left, right] = [memory, memory + g1Size, memory + 2 * g1Size]
    const ofLeft = memory + 3 * g1Size
    const ofRight = ofLeft + room * (g1Size + frSize)
    const lefts = new LinearCombination(ofLeft, ofLeft + room * g1Size)
    const rights = new LinearCombination(ofRight, ofRight + room * g1Size)
    const weights = powers(weightBase(claim), proofs.length)
    const remainders = new Array<bigint>(cellElements).fill(0n)

    for (const [index, coefficients] of polynomials.entries()) {
      if (coefficients === undefined) return false
      const blobWeights = weights.slice(index * cells, (index + 1) * cells)
      addRemainders(remainders, coefficients, foldWeights(blobWeights))
      if (!decodePoint(point, commitments[index] as Uint8Array)) return false
      rights.add(
        point,
        blobWeights.reduce((sum, weight) => sum + weight),
      )
    }
    for (const [j, remainder] of remainders.entries()) rights.add(setupPoints[j] as number, -remainder)
    for (const [index, proof] of proofs.entries()) {
      if (!decodePoint(point, proof)) return false
      // The proofs of an empty blob add nothing.
      if (mcl._mclBnG1_isZero(point)) continue
      const weight = weights[index] as bigint
      lefts.add(point, weight)
      rights.add(point, weight * (cellRoots[exponents[index % cells] as number] as bigint))
    }
    lefts.sum(left)
    rights.sum(right)
    mcl._mclBnG1_neg(right, right)
    return isPairingOne(left, tau64, right, generator2())
  })
}
