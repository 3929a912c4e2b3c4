import type { Fork } from '../../chain/config/forks.ts'

/** The fork names of ethereum/tests and execution-spec-tests. */
const forkNames: Readonly<Record<string, Fork>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  TangerineWhistle: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  SpuriousDragon: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Petersburg: 'petersburg',
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
  // Osaka with other numbers of blobs.
  BPO1: 'osaka',
  BPO2: 'osaka',
}

export const parseForkName = (name: string): Fork | undefined => forkNames[name]
