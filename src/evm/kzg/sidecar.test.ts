import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import type { BlobSidecar } from '../../chain/transaction/transaction.ts'
import { order } from './scalars.ts'
import { verifySidecar } from './sidecar.ts'
import { g1Powers, tau64G2, tauG2 } from './trustedSetup.ts'

/** Made by geth 1.17.6 (crypto/kzg4844) for the two blobs of `blobOf`. */
interface Proven {
  readonly commitment: string
  readonly proof: string
  readonly cellProofs: readonly string[]
}
const proven = JSON.parse(
  readFileSync(new URL('../../../test/support/evm/blobProofs.json', import.meta.url), 'utf8'),
) as readonly Proven[]

/** 4,096 elements, none of them zero. */
const blobOf = (index: number): Uint8Array => {
  const blob = Buffer.alloc(131_072)
  for (let element = 0; element < 4096; element++) {
    const hash = createHash('sha256').update(`blob ${index} element ${element}`).digest()
    hash[0] = 0
    blob.set(hash, 32 * element)
  }
  return new Uint8Array(blob)
}

const all = proven.map((vector, index) => ({
  blob: blobOf(index),
  commitment: fromHex(vector.commitment),
  proof: fromHex(vector.proof),
  cellProofs: vector.cellProofs.map(fromHex),
}))
const sidecarOf = (version: 0 | 1, chosen = all): BlobSidecar => ({
  version,
  blobs: chosen.map(({ blob }) => blob),
  commitments: chosen.map(({ commitment }) => commitment),
  proofs: chosen.flatMap(({ proof, cellProofs }) => (version === 0 ? [proof] : cellProofs)),
})

const infinity = new Uint8Array(48)
infinity[0] = 0xc0

/** On the curve and not in the group, as nearly all points are. */
const outsider = (): Uint8Array => {
  const { Fp } = bls12_381.fields
  const isOnCurve = (x: bigint): boolean => {
    const square = Fp.add(Fp.pow(x, 3n), 4n)
    return Fp.eql(Fp.pow(square, (Fp.ORDER - 1n) / 2n), 1n)
  }
  const x = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n].find(isOnCurve) as bigint
  const bytes = fromBigInt(x, 48)
  bytes[0] = 0x80
  return bytes
}

describe.each([0, 1] as const)('a sidecar of version %i', (version) => {
  const right = sidecarOf(version)
  const proofsPerBlob = version === 0 ? 1 : 128

  test('with the proofs that geth makes is right', slow, () => {
    expect(verifySidecar(right)).toBe(true)
    expect(verifySidecar(sidecarOf(version, all.slice(1)))).toBe(true)
  })

  test('of empty blobs is right', () => {
    const proofs = Array.from({ length: proofsPerBlob }, () => infinity)
    const empty = { version, blobs: [new Uint8Array(131_072)], commitments: [infinity], proofs }
    expect(verifySidecar(empty)).toBe(true)
    expect(verifySidecar({ ...empty, commitments: [right.commitments[0] as Uint8Array] })).toBe(false)
  })

  const wrong: readonly [string, Partial<BlobSidecar>][] = [
    ['blobs in another order', { blobs: right.blobs.toReversed() }],
    ['commitments in another order', { commitments: right.commitments.toReversed() }],
    ['proofs in another order', { proofs: right.proofs.toReversed() }],
    ['one bit of a blob', { blobs: [right.blobs[0] as Uint8Array, flip(right.blobs[1], 70_031)] }],
    ['a proof that is infinity', { proofs: right.proofs.with(-1, infinity) }],
    ['a proof that is not a point', { proofs: right.proofs.with(0, new Uint8Array(48)) }],
    ['a proof outside the group', { proofs: right.proofs.with(0, outsider()) }],
    ['a commitment outside the group', { commitments: right.commitments.with(0, outsider()) }],
    ['an element that is the order', { blobs: right.blobs.map((blob) => withElement(blob, order)) }],
  ]
  test.each(wrong)('is wrong with %s', (_name, change) => {
    expect(verifySidecar({ ...right, ...change })).toBe(false)
  })
})

function flip(blob: Uint8Array | undefined, at: number): Uint8Array {
  const changed = new Uint8Array(blob ?? [])
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

function withElement(blob: Uint8Array, value: bigint): Uint8Array {
  const changed = new Uint8Array(blob)
  changed.set(fromBigInt(value, 32), 32 * 77)
  return changed
}

/** Each point is τ times the one before it, which two pairings show. */
test('the points of the setup belong together', slow, () => {
  const { G1, G2, pairing, fields } = { ...bls12_381 }
  const points = g1Powers.map((hex) => G1.Point.fromBytes(fromHex(hex)))
  expect(points).toHaveLength(64)
  expect(points[0]?.equals(G1.Point.BASE)).toBe(true)
  const tau = G2.Point.fromBytes(fromHex(tauG2))
  // One check for all: the sums are weighed, so that errors cannot cancel out.
  const sumFrom = (start: number) =>
    points
      .slice(start, start + 63)
      .reduce((sum, point, index) => sum.add(point.multiply(7n ** BigInt(index + 1))), G1.Point.ZERO)
  expect(fields.Fp12.eql(pairing(sumFrom(0), tau), pairing(sumFrom(1), G2.Point.BASE))).toBe(true)
  const last = points[63] as (typeof points)[number]
  const tau64 = G2.Point.fromBytes(fromHex(tau64G2))
  expect(fields.Fp12.eql(pairing(last, tau), pairing(G1.Point.BASE, tau64))).toBe(true)
})
