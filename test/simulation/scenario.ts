import { toHex } from '../../src/base/encoding/hex.ts'
import { systemContracts } from '../../src/chain/config/systemContracts.ts'
import type { Random } from '../support/random.ts'
import { addressOf, testChainId } from '../support/signedCandidates.ts'

/** What is random about a run before it begins. Times are in milliseconds, of the virtual clock where they are points. */
export interface Scenario {
  readonly nodes: number
  /** The number of nodes that are validators at first. */
  readonly validators: number
  readonly genesisTime: number
  /** The pause after a block. */
  readonly pause: number
  /** How far the clock of each node is ahead. */
  readonly skews: readonly number[]
  /** The times of forks in seconds, by the member of geth's config. */
  readonly forks: Readonly<Record<string, number>>
  /** The probability that a call ends the process of its node. */
  readonly crashes: number
  /** The probability that a message takes seconds. */
  readonly delays: number
  /** The probability that a block is followed by a partition of the network. */
  readonly partitions: number
  /** The time after the start at which all nodes stop, and for how long; undefined if they do not. */
  readonly outage: { readonly after: number; readonly length: number } | undefined
  /** The largest size of a block's entries. */
  readonly maxBlockBytes: number
  /** The gas limit of the blocks. */
  readonly blockGas: number
  /** The least time between two transactions. */
  readonly traffic: number
  /** The probability that a transaction changes the validators. */
  readonly validatorChanges: number
}

/** The number of accounts that send transactions; the one after them may change the validators. */
export const senders = 8
export const admin = 8
const second = 1000
const genesisSeconds = 1_700_000_000

export const createScenario = (random: Random, given: Partial<Scenario>): Scenario => {
  const nodes = given.nodes ?? (random.chance(0.2) ? 5 : 4)
  const spread = random.chance(0.7) ? 1 + random.below(4) : 0
  const isFaulty = random.chance(0.7)
  // One to three forks, in their order, some of them within seconds of each other.
  let at = genesisSeconds + 3 + random.below(20)
  const forks: Record<string, number> = {}
  const names = ['cancunTime', 'pragueTime', 'osakaTime']
  const active = random.below(3)
  for (const [index, name] of names.entries()) {
    forks[name] = index < active ? 0 : at
    if (index >= active) at += 1 + random.below(30)
  }
  // From within the run on, from the first block on, or never.
  const fullBlocks = [(forks.cancunTime as number) + 1, 0][active]
  if (fullBlocks !== undefined) forks.fullBlocksTime = fullBlocks
  return {
    nodes,
    validators: random.chance(0.3) ? nodes - 1 : nodes,
    genesisTime: genesisSeconds * second,
    pause: 200 + random.below(1200),
    skews: Array.from({ length: nodes }, () => (random.below(2001) - 1000) * spread),
    forks,
    crashes: isFaulty ? 0.002 + random.fraction() * 0.01 : 0,
    delays: isFaulty ? random.fraction() * 0.05 : 0.002,
    partitions: isFaulty ? random.fraction() * 0.05 : 0,
    outage: random.chance(0.3)
      ? { after: 3000 + random.below(40_000), length: random.below(60_000) }
      : undefined,
    maxBlockBytes: random.chance(0.3) ? 20_000 : 16_000_000,
    blockGas: 60_000_000,
    traffic: 300 + random.below(900),
    validatorChanges: 0.05,
    ...given,
  }
}

/** The key of a node that validates, as in a genesis and in the engine's updates. */
export const validatorKey = (node: number): Uint8Array => new Uint8Array(32).fill(node + 1)
export const rewardOf = (node: number): Uint8Array => new Uint8Array(20).fill(0xc0 + node)

/** A contract that writes what a block's header says into its storage. */
export const observer = new Uint8Array(20).fill(0x0b)
const observerCode = '0x4243554441185f555f5fa000'

/** Returns the genesis file. */
export const createGenesisText = ({ validators, genesisTime, forks, blockGas }: Scenario): string => {
  const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg']
    .concat('istanbul', 'berlin', 'london')
    .map((name) => [`${name}Block`, 0])
  const contracts = Object.values(systemContracts).map(({ address, code }) => [
    toHex(address),
    { balance: '0x0', nonce: '0x1', code: toHex(code) },
  ])
  const accounts = Array.from({ length: senders + 1 }, (_, sender) => [
    toHex(addressOf(sender)),
    { balance: '0x52b7d2dcc80cd2e4000000' },
  ])
  return JSON.stringify({
    config: {
      chainId: Number(testChainId),
      ...Object.fromEntries(blocks),
      terminalTotalDifficulty: 0,
      shanghaiTime: 0,
      ...forks,
      perihelion: {
        validators: Array.from({ length: validators }, (_, node) => ({
          pubkey: toHex(validatorKey(node)),
          power: 10,
          reward: toHex(rewardOf(node)),
        })),
        admin: toHex(addressOf(admin)),
      },
    },
    timestamp: `0x${(genesisTime / second).toString(16)}`,
    gasLimit: `0x${blockGas.toString(16)}`,
    difficulty: '0x0',
    baseFeePerGas: '0x3b9aca00',
    alloc: {
      ...Object.fromEntries([...contracts, ...accounts]),
      [toHex(observer)]: { balance: '0x0', code: observerCode },
    },
  })
}
