import type { Fork } from '../../chain/forks.ts'

/** Fork names of ethereum/tests and execution-spec-tests. */
const forkNames: Readonly<Record<string, Fork>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  MuirGlacier: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  ArrowGlacier: 'london',
  GrayGlacier: 'london',
  Merge: 'paris',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
  Prague: 'prague',
  Osaka: 'osaka',
}

export const forkOfName = (name: string): Fork | undefined => forkNames[name]
