import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../test/support/freePort.ts'
import { createRpcClient } from '../../../test/support/rpc/rpcClient.ts'

/** A chain of one validator, by the program of cosmos/evm. */

const chainId = '9001'
const denom = 'atest'
/** Only the first of its accounts has coins. */
export const mnemonic = `${'test '.repeat(11)}junk`

export interface EvmdOptions {
  /** The pause after each block. */
  readonly blockTimeMs: number
  /** The chain id of its transactions, if not its own. */
  readonly chainId?: number
  /** More settings. */
  readonly flags?: readonly string[]
}

export interface Chain {
  readonly node: string
  readonly grpc: string
  readonly jsonRpc: string
  readonly pid: number
  stop(): Promise<void>
}

interface Genesis {
  readonly app_state: {
    readonly staking: { readonly params: { bond_denom: string } }
    readonly mint: { readonly params: { mint_denom: string } }
    readonly evm: { readonly params: { evm_denom: string } }
    readonly gov: {
      readonly params: { min_deposit: { denom: string }[]; expedited_min_deposit: { denom: string }[] }
    }
    readonly bank: { denom_metadata: unknown[] }
  }
  readonly consensus: { readonly params: { readonly block: { max_gas: string } } }
}

const editGenesis = (file: string): void => {
  const genesis = JSON.parse(readFileSync(file, 'utf8')) as Genesis
  const { staking, mint, evm, gov, bank } = genesis.app_state
  staking.params.bond_denom = denom
  mint.params.mint_denom = denom
  evm.params.evm_denom = denom
  for (const deposit of [...gov.params.min_deposit, ...gov.params.expedited_min_deposit])
    deposit.denom = denom
  bank.denom_metadata = [
    {
      description: 'the coin of the chain',
      denom_units: [
        { denom, exponent: 0, aliases: [] },
        { denom: 'test', exponent: 18, aliases: [] },
      ],
      base: denom,
      display: 'test',
      name: 'Test',
      symbol: 'TEST',
    },
  ]
  genesis.consensus.params.block.max_gas = '40000000'
  writeFileSync(file, JSON.stringify(genesis))
}

const editFile = (file: string, edits: readonly (readonly [RegExp, string])[]): void => {
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of edits) text = text.replace(from, to)
  writeFileSync(file, text)
}

const stopChild = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const setUp = (program: string, home: string): void => {
  const evmd = (args: readonly string[], input = ''): void => {
    execFileSync(program, [...args, '--home', home], { input, stdio: ['pipe', 'ignore', 'ignore'] })
  }
  const keyring = ['--keyring-backend', 'test']
  evmd(['init', 'bench', '--chain-id', chainId, '-o'])
  evmd(['config', 'set', 'client', 'chain-id', chainId])
  evmd(['keys', 'add', 'validator', '--algo', 'eth_secp256k1', ...keyring])
  evmd(['keys', 'add', 'funder', '--recover', '--algo', 'eth_secp256k1', ...keyring], `${mnemonic}\n`)
  editGenesis(join(home, 'config/genesis.json'))
  evmd(['genesis', 'add-genesis-account', 'validator', `1${'0'.repeat(26)}${denom}`, ...keyring])
  evmd(['genesis', 'add-genesis-account', 'funder', `1${'0'.repeat(24)}${denom}`, ...keyring])
  const gentx = [
    'genesis',
    'gentx',
    'validator',
    `1${'0'.repeat(21)}${denom}`,
    '--gas-prices',
    `10000000${denom}`,
  ]
  evmd([...gentx, '--chain-id', chainId, ...keyring])
  evmd(['genesis', 'collect-gentxs'])
}

/** Edits the settings of CometBFT. Those evmd programs that have a pool of their own beside CometBFT's name it `app`. */
const editEngine = (file: string, blockTimeMs: number): void =>
  editFile(file, [
    [/timeout_commit = "5s"/, `timeout_commit = "${blockTimeMs}ms"`],
    ...(/^#.*"app"/m.test(readFileSync(file, 'utf8')) ? [[/type = "flood"/, 'type = "app"'] as const] : []),
    [/^size = 5000$/m, 'size = 1000000'],
    [/pprof_laddr = .*/, 'pprof_laddr = ""'],
  ])

/** Returns those of the settings that this version of the program has. */
const known = (program: string, flags: readonly string[]): readonly string[] => {
  const help = execFileSync(program, ['start', '--help'], { encoding: 'utf8' })
  return flags.filter((flag) => help.includes(`${flag.split('=')[0]} `))
}

export const startEvmd = async (
  program: string,
  { blockTimeMs, chainId: evmChainId, flags: more = [] }: EvmdOptions,
): Promise<Chain> => {
  const home = mkdtempSync(join(tmpdir(), 'perihelion-bench-evmd-'))
  setUp(program, home)
  const [rpc, p2p, grpc, http, ws] = await Promise.all(Array.from({ length: 5 }, freePort))
  editEngine(join(home, 'config/config.toml'), blockTimeMs)
  const optional = [
    '--evm.min-tip=0',
    ...(evmChainId === undefined ? [] : [`--evm.evm-chain-id=${evmChainId}`]),
    ...more,
  ]
  const flags = [
    ...['--home', home, '--chain-id', chainId, '--pruning', 'nothing', '--log_level', 'error'],
    ...['--minimum-gas-prices', `0${denom}`],
    ...['--rpc.laddr', `tcp://127.0.0.1:${rpc}`, '--p2p.laddr', `tcp://127.0.0.1:${p2p}`],
    ...['--grpc.enable', '--grpc.address', `127.0.0.1:${grpc}`, '--json-rpc.enable'],
    ...['--json-rpc.address', `127.0.0.1:${http}`, '--json-rpc.ws-address', `127.0.0.1:${ws}`],
    ...['--json-rpc.api', 'eth,txpool,net,debug,web3'],
    ...known(program, optional),
  ]
  const child = spawn(program, ['start', ...flags], { stdio: 'ignore' })
  const pid = child.pid as number // the program is there
  const jsonRpc = `http://127.0.0.1:${http}`
  const stop = async (): Promise<void> => {
    await stopChild(child)
    rmSync(home, { recursive: true, force: true })
  }
  for (let tries = 0; tries < 300; tries++) {
    const height = await createRpcClient(jsonRpc)
      .call<string>('eth_blockNumber')
      .catch(() => '0x0')
    if (Number(height) > 1)
      return { node: `http://127.0.0.1:${rpc}`, grpc: `127.0.0.1:${grpc}`, jsonRpc, pid, stop }
    await sleep(200)
  }
  await stop()
  throw new Error('evmd makes no blocks')
}
