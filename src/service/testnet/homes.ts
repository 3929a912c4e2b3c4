import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderNewGenesis } from '../../app/export/genesis.ts'
import { privateKeyToAddress } from '../../base/crypto/crypto.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { createDevGenesis } from '../../chain/genesis/devGenesis.ts'
import { toValidatorConfigJson } from '../../chain/validators/validatorConfig.ts'
import { type SettingName, type SettingValues, settings } from '../../config/settings/settings.ts'
import { appTomlPath, updateAppToml, writeDefaultAppToml } from '../../config/toml/appToml.ts'
import { createEngineConfig } from '../../engine/cometbft/process/config.ts'
import { findProgram } from '../../engine/cometbft/process/engineBinary.ts'
import { type EngineHome, ensureConfig, ensureEngineHome } from '../../engine/cometbft/process/home.ts'
import { plainValues } from '../../engine/cometbft/process/ownedKeys.ts'
import { nodeId } from '../../engine/cometbft/signing/keys.ts'
import { deriveMnemonicKeys } from '../../keystore/wallets/mnemonic.ts'
import { freePorts, portsFrom } from './ports.ts'

export interface TestnetOptions {
  readonly folder: string
  readonly validators: number
  readonly chainId: number
  /** The pause after each block in milliseconds. */
  readonly blockTimeMs: number
  /** The rules from the first block on. */
  readonly fork: Fork
  /** The path of the CometBFT program; if empty, it is searched for or installed with Go. */
  readonly cometbft: string
  /** The first of the ports, four for each node; free ones are taken if missing. */
  readonly basePort?: number | undefined
  /** Called with a message before a slow step. */
  readonly onProgress: (text: string) => void
}

/**
 * The index of the first account that receives tips. The dev accounts come first, so that tips do not change their
 * round balances.
 */
const firstRewardAccount = 10
const fundedAccounts = 10
const power = 10n
/** The number of ports of a node: HTTP, WebSocket, the engine's RPC and its peers. */
export const portsPerNode = 4

/** Returns the homes of the network in a folder, in order. */
export const existingHomes = (folder: string): readonly string[] => {
  const homes: string[] = []
  for (let index = 0; existsSync(nodeFolder(folder, index)); index++) homes.push(nodeFolder(folder, index))
  return homes
}

/** The keys of the accounts that a new network funds. They are public. */
export const fundedKeys = (): readonly Uint8Array[] =>
  deriveMnemonicKeys(settings.mnemonic.default, fundedAccounts)

/** The balance of each of them, in whole coins. */
export const fundedCoins = 10_000n

const nodeFolder = (folder: string, index: number): string => join(folder, `node${index}`)

/**
 * Returns the homes of a network in order, and creates them if the folder has none. An existing network keeps its size
 * and ports.
 */
export const ensureHomes = async (options: TestnetOptions): Promise<readonly string[]> => {
  const cometbft = await findProgram({ path: options.cometbft, notify: options.onProgress })
  if (!existsSync(nodeFolder(options.folder, 0))) await createHomes({ ...options, cometbft })
  return existingHomes(options.folder)
}

interface TestnetNodeConfig {
  readonly home: string
  readonly engine: EngineHome
  readonly reward: Uint8Array
  readonly ports: readonly [http: number, ws: number, rpc: number, p2p: number]
}

const createHomes = async (options: TestnetOptions): Promise<void> => {
  const { folder, validators, blockTimeMs, cometbft } = options
  const count = validators * portsPerNode
  const ports =
    options.basePort === undefined ? await freePorts(count) : await portsFrom(options.basePort, count)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const keys = deriveMnemonicKeys(settings.mnemonic.default, firstRewardAccount + validators)
  const addresses = keys.map((key) => privateKeyToAddress(key))
  const nodes: TestnetNodeConfig[] = addresses.slice(firstRewardAccount).map((reward, index) => {
    const home = nodeFolder(folder, index)
    const nodePorts = ports.slice(
      index * portsPerNode,
      (index + 1) * portsPerNode,
    ) as unknown as TestnetNodeConfig['ports']
    return { home, engine: ensureEngineHome(join(home, 'engine')), reward, ports: nodePorts }
  })
  const genesisPath = join(folder, 'genesis.json')
  writeFileSync(genesisPath, createGenesis(nodes, addresses, options))
  const peers = nodes.map(({ engine, ports }) => `${nodeId(engine.nodeKey.publicKey)}@127.0.0.1:${ports[3]}`)
  for (const [index, node] of nodes.entries()) {
    const [http, ws, rpc, p2p] = node.ports
    ensureConfig(
      node.engine,
      createEngineConfig({
        ...plainValues,
        moniker: `node${index}`,
        p2pAddress: `127.0.0.1:${p2p}`,
        rpcAddress: `127.0.0.1:${rpc}`,
        persistentPeers: peers.filter((_, other) => other !== index),
        blockTimeMs,
        isLocal: true,
      }),
    )
    await writeSettings(node.home, {
      engine: 'cometbft',
      genesis: genesisPath,
      coinbase: node.reward,
      cometbft,
      'json-rpc.address': { host: '127.0.0.1', port: http },
      'json-rpc.ws-address': { host: '127.0.0.1', port: ws },
      'json-rpc.api': [
        ...['eth', 'net', 'web3', 'txpool', 'debug', 'trace', 'ots', 'erigon', 'clique', 'perihelion'],
        ...['cosmos', 'rpc'],
        // Over the socket of the home, or with a token.
        'admin',
      ],
    })
  }
}

const createGenesis = (
  nodes: readonly TestnetNodeConfig[],
  addresses: readonly Uint8Array[],
  { chainId, fork }: Pick<TestnetOptions, 'chainId' | 'fork'>,
): string => {
  const [admin] = addresses
  return renderNewGenesis(
    createDevGenesis({
      chainId: BigInt(chainId),
      fork,
      accounts: addresses
        .slice(0, fundedAccounts)
        .map((address) => ({ address, balance: fundedCoins * 10n ** 18n })),
      coinbase: new Uint8Array(20),
      timestamp: BigInt(Math.floor(Date.now() / 1000)),
      validators: toValidatorConfigJson({
        validators: nodes.map(({ engine, reward }) => ({
          publicKey: engine.validatorKey.publicKey,
          power,
          reward,
        })),
        admin,
      }),
    }),
  )
}

/** Writes settings to a new app.toml, which contains the defaults of all others. */
const writeSettings = async (home: string, values: Partial<SettingValues>): Promise<void> => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  await writeDefaultAppToml(home)
  for (const [name, value] of Object.entries(values)) {
    const { kind } = settings[name as SettingName]
    // The cast is sound because the value belongs to the setting of this name.
    await updateAppToml(appTomlPath(home), name as SettingName, kind.toToml(value as never))
  }
}
