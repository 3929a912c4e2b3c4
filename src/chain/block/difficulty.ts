import { equalBytes } from '../../base/encoding/bytes.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { type Fork, since } from '../config/forks.ts'
import { ommersHash } from './block.ts'
import type { Header } from './header.ts'

/** The difficulty of proof-of-work blocks, which is needed to import them. */

const minDifficulty = 131_072n
const boundDivisor = 2_048n
const bombPeriod = 100_000n
const noOmmers = ommersHash([])

/** EIP-649, 1234, 2384, 3554, 4345 and 5133: the number of blocks by which the difficulty bomb is delayed. */
const bombDelays: readonly (readonly [activation: string, blocks: bigint])[] = [
  ['byzantium', 3_000_000n],
  ['constantinople', 5_000_000n],
  ['muirGlacier', 9_000_000n],
  ['london', 9_700_000n],
  ['arrowGlacier', 10_700_000n],
  ['grayGlacier', 11_400_000n],
]

const bombDelay = ({ activations }: ChainConfig, number: bigint): bigint =>
  bombDelays.findLast(([name]) =>
    activations.some((activation) => activation.name === name && activation.at <= number),
  )?.[1] ?? 0n

/** Returns by how many 2048ths of itself the parent's difficulty changes. */
const difficultySteps = (fork: Fork, parent: Header, seconds: bigint): bigint => {
  if (!since(fork, 'homestead')) return seconds < 13n ? 1n : -1n
  const first = since(fork, 'byzantium') && !equalBytes(parent.ommersHash, noOmmers) ? 2n : 1n // EIP-100
  const wanted = first - seconds / (since(fork, 'byzantium') ? 9n : 10n) // EIP-2
  return wanted < -99n ? -99n : wanted
}

const atLeast = (value: bigint, least: bigint): bigint => (value < least ? least : value)

/**
 * Returns the difficulty of a block after `parent` at this time, under the rules of `fork`, which is before
 * Paris.
 */
export const nextDifficulty = (
  config: ChainConfig,
  fork: Fork,
  parent: Header,
  timestamp: bigint,
): bigint => {
  const change =
    (parent.difficulty / boundDivisor) * difficultySteps(fork, parent, timestamp - parent.timestamp)
  const difficulty = atLeast(parent.difficulty + change, minDifficulty)
  const number = parent.number + 1n
  const period = atLeast(number - bombDelay(config, number), 0n) / bombPeriod
  return period > 1n ? difficulty + 2n ** (period - 2n) : difficulty
}
