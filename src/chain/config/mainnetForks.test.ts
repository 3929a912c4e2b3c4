import { expect, test } from 'vitest'
import { mainnetForkAt } from './mainnetForks.ts'

test.each([
  [0n, 0n, 'frontier'],
  [1_150_000n, 1_457_981_393n, 'homestead'],
  [12_964_999n, 1_628_166_812n, 'berlin'],
  [12_965_000n, 1_628_166_822n, 'london'],
  [15_537_394n, 1_663_224_179n, 'paris'],
  [17_034_870n, 1_681_338_455n, 'shanghai'],
  [19_426_587n, 1_710_338_135n, 'cancun'],
  [22_431_084n, 1_746_612_311n, 'prague'],
  [23_935_694n, 1_764_798_551n, 'osaka'],
] as const)('block %s of the main network has the rules of its time', (number, time, fork) => {
  expect(mainnetForkAt(number, time)).toBe(fork)
})
