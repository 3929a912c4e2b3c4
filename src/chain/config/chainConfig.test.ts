import { describe, expect, test } from 'vitest'
import { blockRewards } from '../block/blockRewards.ts'
import { nextDifficulty } from '../block/difficulty.ts'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import {
  blobParametersAt,
  type ChainConfig,
  forkAt,
  forkOfHeader,
  hasFullBlocks,
  parseChainConfig,
} from './chainConfig.ts'
import { clientConfigAt } from './clientConfig.ts'
import { parseExactJson } from './exactJson.ts'
import { forks } from './forks.ts'

/** The public network's schedule, as geth has it. */
const mainnet: ChainConfig = parseChainConfig(
  parseExactJson(`{
    "chainId": 1, "homesteadBlock": 1150000, "daoForkBlock": 1920000, "daoForkSupport": true,
    "eip150Block": 2463000, "eip155Block": 2675000, "eip158Block": 2675000, "byzantiumBlock": 4370000,
    "constantinopleBlock": 7280000, "petersburgBlock": 7280000, "istanbulBlock": 9069000,
    "muirGlacierBlock": 9200000, "berlinBlock": 12244000, "londonBlock": 12965000,
    "arrowGlacierBlock": 13773000, "grayGlacierBlock": 15050000,
    "terminalTotalDifficulty": 58750000000000000000000, "shanghaiTime": 1681338455, "cancunTime": 1710338135,
    "pragueTime": 1746612311, "osakaTime": 1764798551, "bpo1Time": 1765290071,
    "depositContractAddress": "0x00000000219ab540356cbb839cbe05303d7705fa", "ethash": {},
    "blobSchedule": {"bpo1": {"target": 10, "max": 15, "baseFeeUpdateFraction": 8346193}}
  }`).value,
)

describe('the schedule of a chain', () => {
  test.each([
    [0n, 0n, 'frontier'],
    [1_149_999n, 0n, 'frontier'],
    [1_150_000n, 0n, 'homestead'],
    [1_920_000n, 0n, 'homestead'],
    [2_463_000n, 0n, 'tangerineWhistle'],
    [2_675_000n, 0n, 'spuriousDragon'],
    [7_280_000n, 0n, 'petersburg'],
    [9_200_000n, 0n, 'istanbul'],
    [15_537_393n, 0n, 'london'],
    [17_034_870n, 1_681_338_455n, 'shanghai'],
    [17_034_869n, 1_681_338_454n, 'london'],
    [24_000_000n, 1_764_798_551n, 'osaka'],
    // A time has no effect before London.
    [5n, 1_764_798_551n, 'frontier'],
  ] as const)('at block %d and time %d', (number, time, fork) => {
    expect(forkAt(mainnet, number, time)).toBe(fork)
  })

  test('fullBlocks begins at its own time, whatever Ethereum does before and after', () => {
    const parse = (fullBlocksTime: number) => parseChainConfig({ ...mainnet.source, fullBlocksTime })
    const names = ({ activations }: ChainConfig) =>
      activations.filter(({ by }) => by === 'time').map(({ name }) => name)
    const config = parse(1_746_612_312)
    expect(names(config)).toEqual(['shanghai', 'cancun', 'prague', 'fullBlocks', 'osaka', 'bpo1'])
    expect(names(parse(0))).toEqual(['fullBlocks', 'shanghai', 'cancun', 'prague', 'osaka', 'bpo1'])
    expect([1_746_612_311n, 1_746_612_312n].map((time) => hasFullBlocks(config, time))).toEqual([false, true])
    expect(hasFullBlocks(mainnet, 2n ** 64n)).toBe(false)
    expect(forkAt(config, 24_000_000n, 1_764_798_551n)).toBe('osaka')
    expect(blobParametersAt(config, 1_746_612_312n)).toEqual(blobParametersAt(mainnet, 1_746_612_312n))
    // Ethereum's clients are notified of Ethereum's forks.
    const head = { number: 24_000_000n, timestamp: 1_746_612_311n, difficulty: 0n }
    const genesis = { header: { number: 0n, timestamp: 0n, difficulty: 1n }, hash: new Uint8Array(32) }
    expect(clientConfigAt(config, genesis, head)).toEqual(clientConfigAt(mainnet, genesis, head))
  })

  test('the merge is where the difficulty is zero', () => {
    const at = { number: 15_537_394n, timestamp: 1_663_224_179n }
    expect(forkOfHeader(mainnet, { ...at, difficulty: 0n })).toBe('paris')
    expect(forkOfHeader(mainnet, { ...at, difficulty: 1n })).toBe('london')
    expect(mainnet.terminalTotalDifficulty).toBe(58_750_000_000_000_000_000_000n)
  })

  test('blob parameters change with forks and between them', () => {
    const max = (time: bigint) => blobParametersAt(mainnet, time)?.max
    expect(max(1_710_338_134n)).toBeUndefined()
    expect(max(1_710_338_135n)).toBe(6)
    expect(max(1_746_612_311n)).toBe(9)
    expect(max(1_764_798_551n)).toBe(9)
    expect(max(1_765_290_071n)).toBe(15)
  })

  test.each([
    [{}, 'config has no chainId'],
    [{ chainId: -1 }, 'config.chainId is negative: -1'],
    [{ chainId: 1, homesteadBlock: 5, eip150Block: 3 }, 'before homestead'],
    [{ chainId: 1, homesteadBlock: 0, byzantiumBlock: 0 }, 'not tangerineWhistle before it'],
    [{ chainId: 1, eip155Block: 1, eip158Block: 2, homesteadBlock: 0, eip150Block: 0 }, 'different blocks'],
    [{ chainId: 1, amsterdamTime: 7 }, 'config.amsterdamTime names a fork that is not known here'],
    [{ chainId: 1, depositContractAddress: '0x00' }, '1 bytes instead of 20'],
  ])('%j is rejected', (source, message) => {
    expect(() => parseChainConfig(source)).toThrow(message)
  })

  test('a change of blob counts needs its counts', () => {
    const { blobSchedule: _, ...source } = mainnet.source
    expect(() => parseChainConfig(source)).toThrow('blobSchedule has no bpo1')
  })

  test.each(forks)('a dev chain can have the rules of %s from its first block on', (fork) => {
    const options = { chainId: 5n, accounts: [], coinbase: new Uint8Array(20), timestamp: 1n, fork }
    expect(forkAt(createDevGenesis(options).config, 0n, 1n)).toBe(fork)
  })
})

describe('proof of work', () => {
  const genesis = createDevGenesis({
    chainId: 1n,
    accounts: [],
    coinbase: new Uint8Array(20),
    timestamp: 0n,
    fork: 'frontier',
  }).header(new Uint8Array(32))

  test('the second block of the public network has its difficulty', () => {
    const parent = { ...genesis, difficulty: 17_179_869_184n }
    expect(nextDifficulty(mainnet, 'frontier', parent, 1_438_269_988n)).toBe(17_171_480_576n)
  })

  test('the bomb is put off by forks', () => {
    const parent = { ...genesis, difficulty: 10n ** 15n, timestamp: 100n }
    const at = (number: bigint, fork: 'homestead' | 'byzantium') =>
      nextDifficulty(mainnet, fork, { ...parent, number }, 110n) - parent.difficulty
    expect(at(1_999_999n, 'homestead')).toBe(2n ** 18n)
    expect(at(4_369_999n, 'byzantium')).toBe(2n ** 11n)
  })

  test('rewards fall, and ommers share them', () => {
    const miner = new Uint8Array(20).fill(1)
    const other = new Uint8Array(20).fill(2)
    const header = { number: 10n, beneficiary: miner }
    const ether = 10n ** 18n
    expect(blockRewards('frontier', header, [])).toEqual([{ address: miner, amount: 5n * ether }])
    expect(blockRewards('byzantium', header, [{ number: 9n, beneficiary: other }])).toEqual([
      { address: other, amount: (3n * ether * 7n) / 8n },
      { address: miner, amount: 3n * ether + (3n * ether) / 32n },
    ])
    expect(blockRewards('london', header, [])).toEqual([{ address: miner, amount: 2n * ether }])
    expect(blockRewards('paris', header, [])).toEqual([])
  })
})
