import { ripemd160 as ripemd160Digest } from '#platform/ripemd160'
import { recoverAddress, sha256 as sha256Digest } from '../../base/crypto/crypto.ts'
import { concatBytes } from '../../base/encoding/bytes.ts'
import type { Precompile } from '../types.ts'
import { padRight, wordCount } from './input.ts'

/** The four precompiles of Frontier. */

const nothing = new Uint8Array(0)
const twelveZeros = new Uint8Array(12)

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)

export const ecrecover: Precompile = {
  gas: () => 3_000n,
  // An invalid signature is not a failure: the output is empty.
  run: (input) => {
    const parts = padRight(input, 128)
    const v = parts[63] as number
    if ((v !== 27 && v !== 28) || !isZero(parts.subarray(32, 63))) return nothing
    const signer = recoverAddress(parts.subarray(0, 32), {
      compact: parts.subarray(64, 128),
      recovery: v - 27,
    })
    return signer ? concatBytes(twelveZeros, signer) : nothing
  },
}

export const sha256: Precompile = {
  gas: (input) => 60n + 12n * wordCount(input),
  run: (input) => new Uint8Array(sha256Digest(input)),
}

export const ripemd160: Precompile = {
  gas: (input) => 600n + 120n * wordCount(input),
  run: (input) => concatBytes(twelveZeros, ripemd160Digest(input)),
}

export const identity: Precompile = {
  gas: (input) => 15n + 3n * wordCount(input),
  run: (input) => input.slice(),
}
