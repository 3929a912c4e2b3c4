import { type Fork, forks, since } from '../../chain/config/forks.ts'
import type { Precompile } from '../types.ts'
import {
  blsG1Add,
  blsG1MultiScalar,
  blsG2Add,
  blsG2MultiScalar,
  blsMapToG1,
  blsMapToG2,
  blsPairing,
} from './blsPrecompiles.ts'
import { bn254Add, bn254Multiply, bn254Pairing } from './bn254.ts'
import { ecrecover, identity, ripemd160, sha256 } from './frontier.ts'
import { kernel, kernelMemory, scratch } from './kernel.ts'
import { boundedModexp, modexp } from './modexp.ts'
import { p256Verify } from './p256Verify.ts'
import { pointEvaluation } from './pointEvaluation.ts'

/** EIP-152: rounds (4 bytes), state (64), message (128), two counters (16), final flag (1). */
const inputLength = 213

/** The rounds between two polls of the interrupt: about two milliseconds. */
const roundsPerSlice = 50_000

const roundsOf = (input: Uint8Array): number =>
  new DataView(input.buffer, input.byteOffset, input.byteLength).getUint32(0)

const blake2f: Precompile = {
  gas: (input) => (input.length === inputLength ? BigInt(roundsOf(input)) : 0n),
  run: (input, interrupt) => {
    const flag = input[inputLength - 1]
    if (input.length !== inputLength || flag === undefined || flag > 1) return undefined
    const memory = kernelMemory(512)
    const state = scratch
    const message = state + 64
    const counters = message + 128
    const work = counters + 16
    memory.set(input.subarray(4, inputLength - 1), state)
    kernel.blake2Begin(work, state, counters, flag)
    const rounds = roundsOf(input)
    for (let from = 0; from < rounds; from += roundsPerSlice) {
      if (interrupt?.()) return undefined
      kernel.blake2Rounds(work, message, from, Math.min(rounds, from + roundsPerSlice))
    }
    kernel.blake2End(state, work)
    return memory.slice(state, state + 64)
  },
}

type Entry = readonly [address: number, precompile: Precompile, since: Fork]

/**
 * The precompiles in the order of their introduction; a later entry replaces an earlier one at the same
 * address.
 */
const entries: readonly Entry[] = [
  [0x01, ecrecover, 'frontier'],
  [0x02, sha256, 'frontier'],
  [0x03, ripemd160, 'frontier'],
  [0x04, identity, 'frontier'],
  [0x05, modexp, 'byzantium'],
  [0x06, bn254Add, 'byzantium'],
  [0x07, bn254Multiply, 'byzantium'],
  [0x08, bn254Pairing, 'byzantium'],
  [0x09, blake2f, 'istanbul'],
  [0x0a, pointEvaluation, 'cancun'],
  [0x0b, blsG1Add, 'prague'],
  [0x0c, blsG1MultiScalar, 'prague'],
  [0x0d, blsG2Add, 'prague'],
  [0x0e, blsG2MultiScalar, 'prague'],
  [0x0f, blsPairing, 'prague'],
  [0x10, blsMapToG1, 'prague'],
  [0x11, blsMapToG2, 'prague'],
  [0x05, boundedModexp, 'osaka'],
  [0x100, p256Verify, 'osaka'],
]

const tables = new Map<Fork, ReadonlyMap<number, Precompile>>(
  forks.map((fork) => [
    fork,
    new Map(
      entries
        .filter(([, , first]) => since(fork, first))
        .map(([address, precompile]) => [address, precompile] as const),
    ),
  ]),
)

/** Returns the precompiles of a fork, by address as a small integer. */
export const precompilesAt = (fork: Fork): ReadonlyMap<number, Precompile> =>
  tables.get(fork) as ReadonlyMap<number, Precompile> // the map has every fork
