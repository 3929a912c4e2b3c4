// Made by `npm run generate`.

/** From src/families/families.ts. */
export const familyNames = ['perihelion', 'ethermint', 'cosmos-evm-0.1', 'cosmos-evm-0.4', 'cosmos-evm-0.5', 'cosmos-evm-0.7'] as const

/** From src/chain/config/forks.ts. */
export const forkNames = ['frontier', 'homestead', 'tangerineWhistle', 'spuriousDragon', 'byzantium', 'constantinople', 'petersburg', 'istanbul', 'berlin', 'london', 'paris', 'shanghai', 'cancun', 'prague', 'osaka'] as const

/** From src/api/methods.ts. */
export const namespaces = ['admin', 'anvil', 'clique', 'cosmos', 'db', 'debug', 'erigon', 'eth', 'evm', 'hardhat', 'les', 'miner', 'net', 'ots', 'perihelion', 'personal', 'rpc', 'shh', 'trace', 'txpool', 'web3'] as const
