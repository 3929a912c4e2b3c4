/** The forks of `src/chain/config/forks.ts`; a test compares the two. */
export const forkNames = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

/** The namespaces of the methods under `src/api`; a test compares the two. */
export const namespaces = [
  'admin',
  'clique',
  'cosmos',
  'db',
  'debug',
  'eth',
  'les',
  'miner',
  'net',
  'perihelion',
  'personal',
  'rpc',
  'shh',
  'txpool',
  'web3',
] as const
