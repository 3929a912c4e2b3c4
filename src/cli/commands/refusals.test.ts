import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, describe, expect, test } from 'vitest'
import { isolatedFlags } from '../../../test/support/program.ts'
import { slow } from '../../../test/support/slow.ts'
import { ConfigError } from '../../config/configError.ts'
import { type SettingName, settingEntries } from '../../config/settings/settings.ts'
import { define as defineConfig } from './config.ts'
import { define as defineGateway } from './gateway.ts'
import { define as defineStart } from './start.ts'

/** Others can read its secret: a command that goes on after its settings fails there, and begins no chain. */
const home = mkdtempSync(join(tmpdir(), 'perihelion-refusals-'))
writeFileSync(join(home, 'jwt.hex'), 'ab'.repeat(32), { mode: 0o644 })
afterAll(() => rmSync(home, { recursive: true }))

/** What a command says of its settings; fails where it has no objection. */
const problemsOf = async (...args: readonly string[]): Promise<readonly string[]> => {
  const program = new Command().exitOverride()
  defineConfig(program.command('config'))
  defineStart(program.command('start'))
  defineGateway(program.command('gateway'))
  try {
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  throw new Error(`${args.join(' ')} has no objection`)
}

const hash = 'ab'.repeat(32)
const servers = '--statesync.rpc-servers=one:26657,two:26657'

/** A setting, flags that break its rule, and what is said of it. */
const refused: readonly (readonly [SettingName, readonly string[], string])[] = [
  ['minimum-gas-prices', ['--minimum-gas-prices=-1'], 'wanted a decimal number of wei'],
  ['engine', ['--engine=comet'], 'wanted one of solo, cometbft, none'],
  ['abci-address', ['--abci-address=tcp://host'], 'wanted unix:///path or tcp://host:port'],
  ['abci-address', ['--abci-address=unix://app.sock'], 'wanted unix:///path or tcp://host:port'],
  ['engine-rpc', ['--engine-rpc=127.0.0.1:26657'], 'wanted a URL such as http://127.0.0.1:26657'],
  ['engine-rpc', ['--engine-rpc=http://127.0.0.1:99999'], 'wanted a URL such as'],
  ['engine-p2p', ['--engine-p2p=:26656'], 'wanted host:port: such as 127.0.0.1:26656'],
  ['engine-p2p', ['--engine-p2p=tcp://0.0.0.0:26656'], 'wanted host:port'],
  ['engine-metrics', ['--engine-metrics=26660'], 'wanted host:port'],
  ['persistent-peers', ['--persistent-peers=abc@host:26656'], 'an id is 40 hex digits'],
  ['persistent-peers', [`--persistent-peers=${'ab'.repeat(20)}@host`], 'wanted id@host:port'],
  ['chain-id', ['--chain-id=0'], 'wanted a whole number, at least 1'],
  [
    'fork-name',
    ['--fork-name=tokyo'],
    'wanted the name of a fork such as prague: one of frontier, homestead',
  ],
  ['accounts', ['--accounts=1001'], 'wanted a whole number, 0 to 1000'],
  ['mnemonic', ['--mnemonic=test test junk'], 'got (not shown), wanted a mnemonic of 12 to 24 words'],
  ['coinbase', ['--coinbase=0x12'], 'wanted an address: 0x and 40 hex digits'],
  ['block-time', ['--block-time=5'], 'wanted a time with its unit'],
  ['pruning', ['--pruning=some'], 'wanted one of archive, default, everything'],
  ['snapshot.keep', ['--snapshot.keep=0'], 'wanted a whole number, 1 to 100'],
  [
    'statesync.rpc-servers',
    ['--statesync.rpc-servers=one:26657', '--statesync.trust-height=5', `--statesync.trust-hash=${hash}`],
    'wanted two or more',
  ],
  [
    'statesync.trust-height',
    [servers, `--statesync.trust-hash=${hash}`],
    'wanted the height of a block that is known to be right',
  ],
  ['statesync.trust-hash', [servers, '--statesync.trust-height=5'], '64 hex digits'],
  ['statesync.trust-hash', [`--statesync.trust-hash=${hash}ab`], '64 hex digits'],
  ['gateway.node', ['--gateway.node=host:26657'], 'wanted URLs of CometBFT'],
  ['gateway.node', ['--gateway.node=http://host:26657/#a'], 'wanted URLs of CometBFT'],
  ['gateway.grpc', ['--gateway.grpc=host'], 'wanted addresses such as host:9090'],
  ['gateway.grpc', ['--gateway.node=http://a:1', '--gateway.grpc=a:1,b:1'], 'wanted at most one for each'],
  ['gateway.family', ['--gateway.family=evm'], 'wanted one of auto, perihelion'],
  ['json-rpc.address', ['--json-rpc.address=:8545'], 'wanted host:port such as 127.0.0.1:8545'],
  ['json-rpc.ws-address', ['--json-rpc.ws-address=localhost:70000'], 'wanted host:port'],
  ['json-rpc.api', ['--json-rpc.api=eth,nte'], 'wanted namespaces such as eth,net,web3: there are '],
  ['json-rpc.cors', ['--json-rpc.cors=https://app.example/'], 'wanted origins'],
  ['json-rpc.trusted-proxies', ['--json-rpc.trusted-proxies=10.0.0.0/33'], 'wanted IP addresses'],
  ['json-rpc.gas-cap', ['--json-rpc.gas-cap=20999'], 'wanted a whole number, at least 21000'],
  [
    'json-rpc.rate-limit-burst',
    ['--json-rpc.rate-limit=1', '--json-rpc.rate-limit-burst=0'],
    'wanted at least 1 with',
  ],
  ['ipc-path', [`--ipc-path=/${'x'.repeat(107)}`], 'wanted at most 107 bytes'],
  ['home', ['--engine=cometbft', '--ipc-path=/x', `--home=/${'x'.repeat(100)}`], 'is too long for a socket'],
]

describe('`config show` rejects what `start` rejects, in the same words', () => {
  test.each(refused)('%s: %j', async (name, flags, said) => {
    const given = flags.some((flag) => flag.startsWith('--home')) ? flags : ['--home', home, ...flags]
    const shown = await problemsOf('config', 'show', ...given)
    expect(shown).toEqual([expect.stringContaining(said)])
    expect(shown[0]).toMatch(new RegExp(`^(?:--)?${name.replace('.', '\\.')}: got `))
    expect(await problemsOf('start', ...given)).toEqual(shown)
  })

  test.each(settingEntries.map(([name]) => name))('%s, of what cannot be printed', async (name) => {
    const flags = name === 'home' ? ['--home=\u0001'] : ['--home', home, `--${name}=\u0001`]
    const shown = await problemsOf('config', 'show', ...flags)
    expect(shown).toEqual([
      expect.stringMatching(new RegExp(`^--${name.replace('.', '\\.')}: got .*, wanted `)),
    ])
    expect(await problemsOf('start', ...flags)).toEqual(shown)
  })
})

test('a gateway without a node is rejected, and a node without one is not', slow, async () => {
  expect(await problemsOf('gateway', '--home', home)).toEqual([
    'gateway.node: none is given; name a node of the chain with --node http://host:26657',
  ])
  await expect(problemsOf('start', ...isolatedFlags(home))).rejects.toThrow('chmod 600')
})
