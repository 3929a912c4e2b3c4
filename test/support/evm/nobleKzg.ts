import { bls12_381 } from '@noble/curves/bls12-381.js'
import { toBigInt } from '../../../src/base/encoding/bytes.ts'
import { fromHex } from '../../../src/base/encoding/hex.ts'
import { tauG2 } from '../../../src/evm/kzg/trustedSetup.ts'

const { G1, G2 } = bls12_381
const order = bls12_381.fields.Fr.ORDER
const times = <P extends { multiplyUnsafe(k: bigint): P }>(point: P, k: bigint): P => point.multiplyUnsafe(k)

/**
 * The KZG check of one point with noble's pairing, as the oracle for the precompile, in the form that @ethereumjs
 * needs.
 */
export const nobleKzg = {
  verifyProof: (commitment: string, z: string, y: string, proof: string): boolean => {
    const [zValue, yValue] = [toBigInt(fromHex(z)), toBigInt(fromHex(y))]
    if (zValue >= order || yValue >= order) return false
    try {
      const c = G1.Point.fromBytes(fromHex(commitment))
      const pi = G1.Point.fromBytes(fromHex(proof))
      c.assertValidity()
      pi.assertValidity()
      const left = c.subtract(times(G1.Point.BASE, yValue))
      const right = G2.Point.fromBytes(fromHex(tauG2)).subtract(times(G2.Point.BASE, zValue))
      return bls12_381.fields.Fp12.eql(pairingOf(left, G2.Point.BASE), pairingOf(pi, right))
    } catch {
      return false
    }
  },
  freeTrustedSetup: () => undefined,
}

const pairingOf = (p: typeof G1.Point.BASE, q: typeof G2.Point.BASE) =>
  p.is0() || q.is0() ? bls12_381.fields.Fp12.ONE : bls12_381.pairing(p, q)
