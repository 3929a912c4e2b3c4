import { crc32 } from 'node:zlib'
import { maxUint64 } from '../../base/encoding/bytes.ts'
import type { BlobParameters } from './blobParameters.ts'
import {
  type Activation,
  type BlockPosition,
  blobParametersAt,
  type ChainConfig,
  forkAt,
  isEthereumFork,
} from './chainConfig.ts'
import { type Fork, since } from './forks.ts'
import { systemContracts } from './systemContracts.ts'

/** The activation of a fork: a block number before the merge, a time after it. */
interface Point {
  readonly number: bigint
  readonly time: bigint
}

const bigEndian = (value: bigint): Uint8Array => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/**
 * Returns the checksum over the genesis hash and every change of rules up to a block (EIP-2124 with
 * EIP-6122).
 */
export const forkId = (
  config: ChainConfig,
  genesisHash: Uint8Array,
  genesisTime: bigint,
  { number, time }: Point,
): Uint8Array => {
  const passed = (by: 'block' | 'time', since: bigint, until: bigint): bigint[] => {
    const points = config.activations
      .filter(isEthereumFork)
      .filter((activation) => activation.by === by && activation.at > since && activation.at <= until)
      .map(({ at }) => at)
    return [...new Set(points)].sort((a, b) => (a < b ? -1 : 1))
  }
  let sum = crc32(genesisHash)
  for (const at of [...passed('block', 0n, number), ...passed('time', genesisTime, time)])
    sum = crc32(bigEndian(at), sum)
  const id = Buffer.alloc(4)
  id.writeUInt32BE(sum)
  return id
}

/** The rules from one activation on (EIP-7910). */
export interface ForkConfig {
  /** The activation in seconds since 1970; zero for rules that apply from the genesis block on. */
  readonly activationTime: bigint
  /** The blob parameters; undefined before Cancun. */
  readonly blobs: BlobParameters | undefined
  readonly forkId: Uint8Array
  readonly precompiles: readonly (readonly [name: string, address: number])[]
  readonly systemContracts: readonly (readonly [name: string, address: Uint8Array])[]
}

export interface ClientConfig {
  readonly current: ForkConfig
  readonly next: ForkConfig | undefined
  readonly last: ForkConfig | undefined
}

/** The names that the EIP defines. */
const precompileNames: readonly (readonly [name: string, address: number, since: Fork])[] = [
  ['ECREC', 0x01, 'frontier'],
  ['SHA256', 0x02, 'frontier'],
  ['RIPEMD160', 0x03, 'frontier'],
  ['ID', 0x04, 'frontier'],
  ['MODEXP', 0x05, 'byzantium'],
  ['BN254_ADD', 0x06, 'byzantium'],
  ['BN254_MUL', 0x07, 'byzantium'],
  ['BN254_PAIRING', 0x08, 'byzantium'],
  ['BLAKE2F', 0x09, 'istanbul'],
  ['KZG_POINT_EVALUATION', 0x0a, 'cancun'],
  ['BLS12_G1ADD', 0x0b, 'prague'],
  ['BLS12_G1MSM', 0x0c, 'prague'],
  ['BLS12_G2ADD', 0x0d, 'prague'],
  ['BLS12_G2MSM', 0x0e, 'prague'],
  ['BLS12_PAIRING_CHECK', 0x0f, 'prague'],
  ['BLS12_MAP_FP_TO_G1', 0x10, 'prague'],
  ['BLS12_MAP_FP2_TO_G2', 0x11, 'prague'],
  ['P256VERIFY', 0x100, 'osaka'],
]

const byName = <T>([a]: readonly [string, T], [b]: readonly [string, T]): number => (a < b ? -1 : 1)

const contractsAt = (config: ChainConfig, fork: Fork): ForkConfig['systemContracts'] => {
  const { beaconRoots, historyStorage, withdrawalRequests, consolidationRequests } = systemContracts
  const known: readonly (readonly [string, Uint8Array, Fork])[] = [
    ['BEACON_ROOTS_ADDRESS', beaconRoots.address, 'cancun'],
    ['CONSOLIDATION_REQUEST_PREDEPLOY_ADDRESS', consolidationRequests.address, 'prague'],
    ['DEPOSIT_CONTRACT_ADDRESS', config.depositContract ?? new Uint8Array(20), 'prague'],
    ['HISTORY_STORAGE_ADDRESS', historyStorage.address, 'prague'],
    ['WITHDRAWAL_REQUEST_PREDEPLOY_ADDRESS', withdrawalRequests.address, 'prague'],
  ]
  return known.filter(([, , first]) => since(fork, first)).map(([name, address]) => [name, address] as const)
}

/** Returns the current rules, the next ones and the last known ones. */
export const clientConfigAt = (
  config: ChainConfig,
  genesis: { readonly header: BlockPosition; readonly hash: Uint8Array },
  head: BlockPosition,
): ClientConfig => {
  const times = [
    ...new Set(
      config.activations
        .filter((activation: Activation) => activation.by === 'time' && isEthereumFork(activation))
        .map(({ at }) => at),
    ),
  ].sort((a, b) => (a < b ? -1 : 1))
  const describe = (time: bigint | undefined): ForkConfig => {
    const at = time ?? head.timestamp
    const isGenesis = time === undefined || time <= genesis.header.timestamp
    const fork = forkAt(config, head.number, at, time === undefined ? head.difficulty === 0n : true)
    return {
      activationTime: isGenesis ? 0n : at,
      blobs: blobParametersAt(config, at),
      forkId: forkId(config, genesis.hash, genesis.header.timestamp, { number: maxUint64, time: at }),
      precompiles: precompileNames
        .filter(([, , first]) => since(fork, first))
        .map(([name, address]) => [name, address] as const)
        .sort(byName),
      systemContracts: contractsAt(config, fork),
    }
  }
  const next = times.find((time) => time > head.timestamp)
  return {
    current: describe(times.findLast((time) => time <= head.timestamp)),
    next: next === undefined ? undefined : describe(next),
    last: next === undefined ? undefined : describe(times.at(-1)),
  }
}
