import { describe, expect, test } from 'vitest'
import { badUsage } from '../../../base/exit.ts'
import { loadConfig } from '../../../config/load.ts'
import { anvilHelp, parseAnvilFlags } from './flags.ts'
import { toSettingFlags, toWordsOfAnvil } from './settings.ts'

const configOf = (args: readonly string[], env: Record<string, string> = {}) =>
  loadConfig({ flags: toSettingFlags(parseAnvilFlags(args), '/nowhere', env), purpose: 'node' }).config

describe('the command line', () => {
  test('is read as clap reads it', () => {
    const flags = parseAnvilFlags([
      '-p',
      '1',
      '--accounts=3',
      '-m',
      'a b',
      '-b2',
      '--ipc',
      '-q',
      '-vvv',
      '--ipc=/x',
    ])
    expect(Object.fromEntries(flags)).toEqual({
      port: '1',
      accounts: '3',
      mnemonic: 'a b',
      'block-time': '2',
      ipc: '/x',
      silent: '',
      verbosity: '',
    })
  })

  test('knows the other names', () => {
    const flags = parseAnvilFlags([
      '--no-mine',
      '--quiet',
      '--block-base-fee-per-gas',
      '0',
      '--blockTime',
      '1',
    ])
    expect([...flags.keys()]).toEqual(['no-mining', 'silent', 'base-fee', 'block-time'])
  })

  test.each([
    [['--fork-transaction-hash', '0x12'], '--fork-transaction-hash cannot be honoured'],
    [['-f'], '--fork-url needs a value: <URL>'],
    [['--optimism'], '--optimism cannot be honoured'],
    [['--port'], '--port needs a value: <NUM>'],
    [['--silent=yes'], '--silent takes no value'],
    [['--nothing'], 'unexpected argument --nothing'],
    [['stray'], 'argument 1: unexpected, it is not a flag: perihelion anvil --help'],
    [['--mnemnic=words'], 'unexpected argument --mnemnic: the nearest is --mnemonic'],
    [['-x'], 'unexpected argument -x'],
  ])('%j is rejected in one line', (args, message) => {
    expect(() => parseAnvilFlags(args)).toThrow(message)
    expect(() => parseAnvilFlags(args)).toThrow(/^[^\n]+$/)
  })

  test('has a help text with every flag', () => {
    expect(anvilHelp()).toContain('  -p, --port <NUM>\n')
    expect(anvilHelp()).toContain('--mnemonic-random [<WORDS>]')
  })
})

describe('the settings', () => {
  test.each([
    [['--code-size-limit', '262144'], { genesisCodeSize: 262_144 }],
    [['--disable-code-size-limit'], { genesisCodeSize: 262_144 }],
    [['--enable-tx-gas-limit'], { genesisTransactionGas: 16_777_216n }],
    // Blocks of so much gas need a limit for each transaction.
    [['--gas-limit', '5000000000'], { genesisTransactionGas: 16_777_216n }],
  ])('%j', (args, wanted) => {
    expect(configOf(args)).toMatchObject(wanted)
  })

  test('are those of anvil where nothing is given', () => {
    const config = configOf([])
    expect(config).toMatchObject({
      ephemeral: true,
      accounts: 10,
      balance: 10_000n,
      chainId: 31_337n,
      genesisGasLimit: 30_000_000n,
      genesisBaseFee: 1_000_000_000n,
      genesisCodeSize: 24_576,
      genesisTransactionGas: undefined,
      genesisTime: undefined,
      blockTime: undefined,
      derivationPath: "m/44'/60'/0'/0",
      coinbase: new Uint8Array(20),
      ipcPath: undefined,
      txpool: { order: 'fees' },
    })
    expect(config.jsonRpc).toMatchObject({
      address: { host: '127.0.0.1', port: 8545 },
      wsAddress: undefined,
      cors: ['*'],
      vhosts: ['*'],
      allowInsecureUnlock: false,
      gasCap: 50_000_000n,
      txfeeCap: 0n,
      allowUnprotectedTxs: true,
    })
  })

  test('follow the flags', () => {
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const config = configOf([
      ...['-p', '0', '--host', '0.0.0.0', '-a', '3', '--balance', '7', '-m', words, '--chain-id', '5'],
      ...['--derivation-path', "m/44'/60'/0'/", '--timestamp', '1700000000', '--hardfork', 'Muir-Glacier'],
      ...['--gas-limit', '90000000', '--base-fee', '0', '--block-time', '0.25', '--order', 'fifo'],
      ...['--ipc', '--allow-origin', 'https://app.example', '--gas-price', '9', '--steps-tracing'],
    ])
    expect(config).toMatchObject({
      accounts: 3,
      balance: 7n,
      mnemonic: words,
      chainId: 5n,
      derivationPath: "m/44'/60'/0'/",
      genesisTime: 1_700_000_000,
      forkName: 'istanbul',
      genesisGasLimit: 90_000_000n,
      genesisBaseFee: 0n,
      minimumGasPrices: 9n,
      blockTime: 250,
      createEmptyBlocks: true,
      ipcPath: '/tmp/anvil.ipc',
      txpool: { order: 'fifo' },
    })
    expect(config.jsonRpc).toMatchObject({
      address: { host: '0.0.0.0', port: 0 },
      cors: ['https://app.example'],
      allowInsecureUnlock: true,
      gasCap: 90_000_000n,
    })
  })

  test('the flags of a fork are its settings', () => {
    const config = configOf([
      ...['--fork-url', 'http://host/key@12', '--fork-header', 'A: 1', '--header', 'B: 2', '--retries', '7'],
      ...['--fork-retry-backoff', '50', '--timeout', '900', '--cups', '100', '--fork-chain-id', '5'],
    ])
    expect(config).toMatchObject({
      forkUrl: 'http://host/key',
      forkBlock: 12,
      forkHeader: ['A: 1', 'B: 2'],
      forkRetries: 7,
      forkRetryBackoff: 50,
      forkTimeout: 900,
      forkComputeUnits: 100,
      forkCache: true,
      chainId: 5n,
    })
    const other = configOf([
      ...['-f', 'http://u:p@host', '--fork-block-number', '-3', '--no-rate-limit', '--no-storage-caching'],
    ])
    expect(other).toMatchObject({
      forkUrl: 'http://u:p@host',
      forkBlock: -3,
      forkComputeUnits: 0,
      forkCache: false,
    })
  })

  test('--gas-price is for forks without a base fee, as in anvil', () => {
    expect(configOf(['--gas-price', '9']).minimumGasPrices).toBe(0n)
    expect(configOf(['--gas-price', '9', '--hardfork', 'berlin']).minimumGasPrices).toBe(9n)
  })

  test('--no-cors lets no page in, and ANVIL_IP_ADDR names a host', () => {
    const { jsonRpc } = configOf(['--no-cors'], { ANVIL_IP_ADDR: '::1' })
    expect(jsonRpc).toMatchObject({
      cors: [],
      address: { host: '::1', port: 8545 },
      allowInsecureUnlock: false,
    })
  })

  test('--mnemonic-random makes new words', () => {
    const words = [configOf(['--mnemonic-random']), configOf(['--mnemonic-random', '24'])].map(
      ({ mnemonic }) => mnemonic.split(' '),
    )
    expect(words.map((each) => each.length)).toEqual([12, 24])
    expect(words[0]).not.toEqual(configOf(['--mnemonic-random']).mnemonic.split(' '))
  })

  test.each([
    [['--port', 'x'], '--port'],
    [['--port', '70000'], '--port'],
    [['--host', 'localhost'], '--host'],
    [['--accounts', '-1'], '--accounts'],
    [['--mnemonic', 'a b c'], '--mnemonic'],
    [['--mnemonic', 'a', '--mnemonic-random'], 'together'],
    [['--mnemonic-random', '13'], '--mnemonic-random'],
    [['--derivation-path', 'x'], '--derivation-path'],
    [['--block-time', '0'], '--block-time'],
    [['--block-time', '1', '--no-mining'], 'together'],
    [['--order', 'random'], '--order'],
    [['--fork-url', 'ws://x'], '--fork-url'],
    [['--fork-url', 'http://x', '--fork-block-number', 'x'], '--fork-block-number'],
    [['--fork-url', 'http://x', '--fork-header', 'no header'], 'fork-header'],
    [['--fork-block-number', '5'], 'needs --fork-url'],
    [['--no-storage-caching'], 'needs --fork-url'],
    [['--code-size-limit', '262145'], '--code-size-limit: got 262145, wanted at most 262144 bytes'],
  ])('%j is rejected by the name of the flag', (args, part) => {
    expect(() => configOf(args)).toThrow(part)
  })
})

test.each([
  [
    'the address 127.0.0.1:8545 is taken by another process: choose another with --json-rpc.address',
    '--port',
  ],
  ['the address 10.9.9.9:8545 is not one of this machine: choose another with --json-rpc.address', '--host'],
  ['--fork-name: got "tokyo", wanted the name of a fork such as prague', '--hardfork: got "tokyo"'],
])('a rejection has the flags of anvil: %s', (message, told) => {
  const { message: text } = toWordsOfAnvil(badUsage(message)) as Error
  expect(text).toContain(told)
  expect(text).not.toMatch(/json-rpc|fork-name/)
})
