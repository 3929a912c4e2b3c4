import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAddress } from '../base/crypto.ts'
import { badFile } from '../base/exit.ts'
import { fromHex } from '../base/hex.ts'
import type { Logger } from '../base/log.ts'
import { LockWaits } from '../base/profiling/lockWaits.ts'
import { ThreadError } from '../base/threadCalls.ts'
import { type Fork, forks } from '../chain/config/forks.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import { ConfigError } from '../config/configError.ts'
import { isDevProfile } from '../config/profile.ts'
import type { Config } from '../config/settings.ts'
import type { GenesisSource } from '../node/application/service.ts'
import { startNode } from '../node/node.ts'
import { deriveDevKeys, describeAccounts } from './devAccounts.ts'
import { prepareEngine } from './engine.ts'
import { openKeys } from './keys.ts'
import { poolSettingsOf } from './poolSettings.ts'
import type { RunningChain } from './runningChain.ts'

const coin = 10n ** 18n
/** The longest that one call may hold up everybody else, where gas does not tell. */
const inlineMs = 5
/** A worker that does not stop by itself is ended after this. */
const workerGraceMs = 1000

/** Opens the chain of the home, or begins the one that the configuration asks for. */
export const openChain = async (config: Config, log: Logger): Promise<RunningChain> => {
  const keys = deriveDevKeys(config)
  const waits = new LockWaits()
  const nodeKeys = openKeys(config, isDevProfile(config) ? keys.accounts : [], waits)
  const addresses = keys.accounts.map((key) => privateKeyToAddress(key))
  const coinbase = readCoinbase(config) ?? privateKeyToAddress(keys.coinbase)
  const ephemeral = config.ephemeral ? mkdtempSync(join(tmpdir(), 'perihelion-')) : undefined
  const removeEphemeral = (): void => {
    if (ephemeral !== undefined) rmSync(ephemeral, { recursive: true, force: true })
  }
  try {
    const engine = await prepareEngine(config, ephemeral ?? config.home, coinbase, log)
    const genesis = readGenesis(config, addresses, coinbase, engine.validators)
    const node = await startNode(
      {
        dataFolder: ephemeral ?? join(config.home, 'data'),
        genesis,
        pruning: config.pruning,
        engine: engine.options,
        appearances: config['index.appearances'],
        coinbase,
        minimumGasPrice: config['minimum-gas-prices'],
        pool: poolSettingsOf(config),
        gasCap: BigInt(config['json-rpc.gas-cap']),
        inline: { gas: BigInt(config['json-rpc.inline-gas']), milliseconds: inlineMs },
        workers: {
          workers: config['json-rpc.call-workers'],
          maxWaiting: config['json-rpc.call-queue'],
          memoryMegabytes: Math.ceil(config['json-rpc.call-memory'] / 1_000_000),
          timeoutMs: config['json-rpc.evm-timeout'],
          graceMs: workerGraceMs,
        },
        traceWorkers: {
          workers: config['json-rpc.trace-workers'],
          maxWaiting: config['json-rpc.call-queue'],
          memoryMegabytes: Math.ceil(config['json-rpc.trace-memory'] / 1_000_000),
          timeoutMs: config['json-rpc.trace-timeout'],
          graceMs: workerGraceMs,
        },
        traces: {
          timeoutMs: config['json-rpc.trace-timeout'],
          maxBytes: config['json-rpc.trace-max-size'],
          memoryBytes: Math.floor(config['json-rpc.trace-memory'] / 4),
          spoolFolder: join(config.home, 'tmp', 'traces'),
          folder: join(config.home, 'traces'),
        },
        feeHistoryCap: config['json-rpc.feehistory-cap'],
        snapshots: { interval: config['snapshot.interval'], keep: config['snapshot.keep'] },
      },
      log,
      waits,
    )
    if (node.isNew && config.genesis === '') {
      process.stderr.write(describeAccounts(config, keys.accounts, addresses))
    }
    return {
      chain: node.chain,
      waits,
      facts: node.facts,
      engineCalls: node.engineCalls,
      workerStats: () => node.workerStats(),
      keys: nodeKeys,
      poolStats: () => node.poolStats(),
      gatewayStats: undefined,
      isReady: () => true,
      close: async () => {
        nodeKeys.close()
        await node.close()
        removeEphemeral()
      },
    }
  } catch (error) {
    removeEphemeral()
    throw explain(error)
  }
}

/** Errors of the application's thread that an operator can act on. */
const actionable = new Set(['StoreError', 'GenesisError', 'LowSpaceError'])

const explain = (error: unknown): unknown =>
  error instanceof ThreadError && actionable.has(error.thrownName) ? badFile(error.message) : error

const readCoinbase = ({ coinbase }: Config): Uint8Array | undefined => {
  if (coinbase === '') return undefined
  if (!/^0x[0-9a-fA-F]{40}$/.test(coinbase)) {
    throw new ConfigError([
      `coinbase: got ${JSON.stringify(coinbase)}, wanted an address: 0x and 40 hex digits`,
    ])
  }
  return fromHex(coinbase)
}

const readGenesis = (
  config: Config,
  addresses: readonly Uint8Array[],
  coinbase: Uint8Array,
  validators: JsonObject | undefined,
): GenesisSource => {
  if (config.genesis !== '') {
    try {
      return { kind: 'file', text: readFileSync(config.genesis, 'utf8') }
    } catch (error) {
      throw badFile(`the genesis file cannot be read: ${(error as Error).message}`)
    }
  }
  const balance = BigInt(config.balance) * coin
  return {
    kind: 'dev',
    options: {
      chainId: BigInt(config['chain-id']),
      accounts: addresses.map((address) => ({ address, balance })),
      coinbase,
      timestamp: BigInt(Math.floor(Date.now() / 1000)),
      fork: readFork(config['fork-name']),
      validators,
    },
  }
}

const readFork = (name: string): Fork => {
  const fork = forks.find((known) => known.toLowerCase() === name.toLowerCase())
  if (fork === undefined) {
    throw new ConfigError([`fork-name: got ${JSON.stringify(name)}, wanted one of ${forks.join(', ')}`])
  }
  return fork
}
