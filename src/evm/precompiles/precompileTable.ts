import { type Fork, forks, since } from '../../chain/config/forks.ts'
import type { Precompile } from '../types.ts'
import { blake2f } from './blake2f.ts'
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
import { boundedModexp, modexp } from './modexp.ts'
import { p256Verify } from './p256Verify.ts'
import { pointEvaluation } from './pointEvaluation.ts'

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
