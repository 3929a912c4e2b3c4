import type { Fork } from './forks.ts'

export const mainnetChainId = 1n

/** The forks of Ethereum's main network by number, up to the merge, and then by time. */
const byNumber: readonly (readonly [fork: Fork, number: bigint])[] = [
  ['homestead', 1_150_000n],
  ['tangerineWhistle', 2_463_000n],
  ['spuriousDragon', 2_675_000n],
  ['byzantium', 4_370_000n],
  ['petersburg', 7_280_000n],
  ['istanbul', 9_069_000n],
  ['berlin', 12_244_000n],
  ['london', 12_965_000n],
  ['paris', 15_537_394n],
]
const byTime: readonly (readonly [fork: Fork, time: bigint])[] = [
  ['shanghai', 1_681_338_455n],
  ['cancun', 1_710_338_135n],
  ['prague', 1_746_612_311n],
  ['osaka', 1_764_798_551n],
]

/** Returns the fork whose rules a block of Ethereum's main network has. */
export const mainnetForkAt = (number: bigint, timestamp: bigint): Fork =>
  byTime.findLast(([, time]) => time <= timestamp)?.[0] ??
  byNumber.findLast(([, first]) => first <= number)?.[0] ??
  'frontier'
