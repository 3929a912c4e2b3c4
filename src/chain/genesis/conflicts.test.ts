import { describe, expect, test } from 'vitest'
import { type ChainConfig, parseChainConfig } from '../config/chainConfig.ts'
import { ethereumLimits } from '../config/limits.ts'
import { changesSchedule, findConflicts, type GivenChain, type StoredChain } from './conflicts.ts'
import { createDevGenesis } from './devGenesis.ts'

const coin = 10n ** 18n
const addresses = [1, 2, 3, 4].map((byte) => new Uint8Array(20).fill(byte))
const hash: Uint8Array = new Uint8Array(32).fill(0xaa)

/** A chain at block 10 and time 1000, whose first two accounts had 5 coins each. */
const storedWith = (parts: Partial<StoredChain> = {}): StoredChain => ({
  config: configOf({}),
  genesisHash: hash,
  beginning: {
    limits: ethereumLimits,
    fork: 'osaka',
    first: { gasLimit: 30_000_000n, baseFeePerGas: 9n, timestamp: 500n },
  },
  head: { number: 10n, timestamp: 1000n },
  hasForkSchedule: false,
  firstBalance: (address) => ((address[0] ?? 0) <= 2 ? 5n * coin : undefined),
  ...parts,
})

const dev = createDevGenesis({
  chainId: 7n,
  accounts: [],
  coinbase: new Uint8Array(20),
  timestamp: 0n,
  fork: 'cancun',
})

/** The schedule of Cancun from the first block on, and what a test adds to it. */
function configOf(members: object): ChainConfig {
  return parseChainConfig({ ...dev.config.source, ...members })
}

const where = '--flag'
const said = (given: GivenChain, stored = storedWith(), config?: ChainConfig, genesisHash = hash) =>
  findConflicts(given, stored, config && { config, genesisHash })

describe('what an operator says of a stored chain', () => {
  test('is not a conflict where nothing is said', () => {
    expect(said({ addresses })).toEqual([])
    expect(said({ addresses: [] })).toEqual([])
  })

  test('is not a conflict where it is so', () => {
    const given = {
      chainId: { value: 7n, where },
      forkName: { value: 'osaka', where },
      accounts: { value: 2, where },
      mnemonic: { value: undefined, where },
      balance: { value: 5n, where },
      gasLimit: { value: 30_000_000n, where },
      baseFee: { value: 9n, where },
      time: { value: 500, where },
      addresses,
    } as const
    expect(said(given)).toEqual([])
  })

  test('is not a conflict where the chain has nothing to compare, or the setting leaves it open', () => {
    const { beginning } = storedWith()
    const wrong = {
      gasLimit: { value: 1n, where },
      baseFee: { value: 1n, where },
      time: { value: 1, where },
    }
    expect(said(wrong, storedWith({ beginning: { ...beginning, first: undefined } }))).toEqual([])
    const first = { gasLimit: 1n, baseFeePerGas: undefined, timestamp: 1n }
    expect(said(wrong, storedWith({ beginning: { ...beginning, first } }))).toEqual([])
    expect(said({ time: { value: undefined, where } })).toEqual([])
  })

  test.each<[string, GivenChain, string]>([
    [
      'the size of code',
      { codeSize: { value: 50_000, where } },
      'genesis-code-size: got 50000 (--flag), but the chain of this home began with 24576',
    ],
    [
      'the gas of a transaction',
      { transactionGas: { value: undefined, where } },
      'genesis-transaction-gas: got 0 (--flag), but the chain of this home began with 16777216',
    ],
    [
      'the gas limit',
      { gasLimit: { value: 5000n, where } },
      'genesis-gas-limit: got 5000 (--flag), but the chain of this home began with 30000000',
    ],
    [
      'the base fee',
      { baseFee: { value: 0n, where } },
      'genesis-base-fee: got 0 (--flag), but the chain of this home began with 9',
    ],
    [
      'the time',
      { time: { value: 501, where } },
      'genesis-time: got 501 (--flag), but the chain of this home began with 500',
    ],
    [
      'the chain id',
      { chainId: { value: 5n, where } },
      'chain-id: got 5 (--flag), but the chain of this home has 7',
    ],
    [
      'the fork',
      { forkName: { value: 'berlin', where } },
      'fork-name: got berlin (--flag), but the chain of this home began with osaka',
    ],
    [
      'fewer accounts',
      { accounts: { value: 1, where }, addresses },
      'accounts: got 1 (--flag), but the chain of this home began with 2',
    ],
    [
      'more accounts',
      { accounts: { value: 3, where }, addresses },
      'accounts: got 3 (--flag), but the chain of this home began with 2',
    ],
    [
      'the balance',
      { balance: { value: 6n, where }, addresses },
      'balance: got 6 (--flag), but the chain of this home began with 5',
    ],
    [
      'the mnemonic',
      { mnemonic: { value: undefined, where }, addresses: addresses.slice(2) },
      'mnemonic: got (not shown) (--flag), but the chain of this home did not begin with its accounts',
    ],
  ])('is a conflict in %s', (_, given, message) => {
    expect(said(given)).toEqual([`${message}: leave it out, or use another --home`])
  })

  test('is a conflict beside a genesis file too', () => {
    const genesis = { value: 'a.json', where }
    const config = configOf({})
    expect(said({ genesis, gasLimit: { value: 5000n, where } }, storedWith({ config }), config)).toEqual([
      'genesis-gas-limit: got 5000 (--flag), but the chain of this home began with 30000000: leave it out, or use another --home',
    ])
  })

  test('is reported at once, all of it', () => {
    expect(said({ chainId: { value: 5n, where }, balance: { value: 6n, where }, addresses })).toHaveLength(2)
  })

  test('cannot be compared with accounts of other words, nor with a state that is gone', () => {
    const given = { accounts: { value: 9, where }, balance: { value: 6n, where } }
    expect(said({ ...given, addresses: addresses.slice(2) })).toEqual([])
    expect(said({ ...given, addresses }, storedWith({ firstBalance: undefined }))).toEqual([])
  })
})

describe('a genesis file', () => {
  const genesis = { value: 'genesis.json', where }
  const given = {
    genesis,
    accounts: { value: 9, where },
    addresses,
  } as const

  test('stands for itself: what is said of the accounts of the dev genesis means nothing beside it', () => {
    expect(said(given, storedWith(), configOf({}))).toEqual([])
  })

  test.each<[string, ChainConfig, Uint8Array, string]>([
    ['another first block', configOf({}), new Uint8Array(32), 'began with block 0xaaaa'],
    ['another chain id', configOf({ chainId: 8 }), hash, 'has the chain id 7 and not 8'],
    [
      'a fork that has begun',
      configOf({ pragueTime: 1000 }),
      hash,
      'has prague nowhere and not at time 1000',
    ],
    [
      'another terminal total difficulty',
      configOf({ terminalTotalDifficulty: 1 }),
      hash,
      'terminal total difficulty',
    ],
    [
      'another contract for deposits',
      configOf({ depositContractAddress: `0x${'01'.repeat(20)}` }),
      hash,
      'deposit',
    ],
    ['other validators', configOf({ perihelion: { validators: [] } }), hash, 'validators'],
  ])('conflicts in %s', (_, config, genesisHash, message) => {
    const conflicts = said(given, storedWith(), config, genesisHash)
    expect(conflicts).toEqual([expect.stringContaining(message)])
    expect(conflicts[0]).toMatch(/^genesis: got genesis\.json \(--flag\), but the chain of this home /)
  })

  test('may add, move and take away forks that are ahead, by time and by block', () => {
    const ahead = configOf({ pragueTime: 1001 })
    for (const [before, after] of [
      [configOf({}), ahead],
      [ahead, configOf({ pragueTime: 2000 })],
      [ahead, configOf({})],
      [configOf({ grayGlacierBlock: 11 }), configOf({ grayGlacierBlock: 12 })],
    ] as const) {
      expect(said(given, storedWith({ config: before }), after)).toEqual([])
      expect(changesSchedule(before, after)).toBe(true)
    }
    expect(changesSchedule(ahead, configOf({ pragueTime: '0x3e9' }))).toBe(false)
  })

  test('may not move a fork that has begun to a time ahead', () => {
    const begun = storedWith({ config: configOf({ pragueTime: 900 }) })
    expect(said(given, begun, configOf({ pragueTime: 2000 }))).toEqual([
      expect.stringContaining('has prague at time 900'),
    ])
    expect(said(given, begun, configOf({ pragueTime: 2000 }))[0]).toMatch(
      /mistimed: .*rewind to timestamp 899/,
    )
    expect(said(given, storedWith(), configOf({ grayGlacierBlock: 5 }))[0]).toContain('rewind to block 4')
  })

  test('says only how a chain began that holds its schedule itself', () => {
    const stored = storedWith({ hasForkSchedule: true })
    expect(said(given, stored, configOf({}))).toEqual([])
    // Also what is ahead: the first block differs too, which would say less.
    expect(said(given, stored, configOf({ pragueTime: 2000 }), new Uint8Array(32))).toEqual([
      expect.stringMatching(
        /has prague nowhere and not at time 2000.*, and the admin of its validators alone/,
      ),
    ])
  })

  test('has the blob figures with which a chain of validators began, also those of forks to come', () => {
    const bpo1 = { target: 10, max: 15, baseFeeUpdateFraction: 8_346_193 }
    const config = configOf({ blobSchedule: { bpo1 } })
    const stored = storedWith({ config, hasForkSchedule: true })
    expect(said(given, stored, config)).toEqual([])
    const other = configOf({ blobSchedule: { bpo1: { ...bpo1, max: 16 } } })
    expect(said(given, stored, other, new Uint8Array(32))).toEqual([
      expect.stringContaining('has the blob figures 10/15/8346193 for bpo1'),
    ])
    // A chain of one process takes them with the file that schedules the fork.
    expect(said(given, storedWith({ config }), other)).toEqual([])
  })
})
