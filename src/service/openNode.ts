import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publicKeyToAddress, secp256k1 } from '../base/crypto.ts'
import { ExitError, exitCodes } from '../base/exit.ts'
import type { Logger } from '../base/log.ts'
import { LockWaits } from '../base/profiling/lockWaits.ts'
import { ThreadError } from '../base/threadCalls.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import type { LoadedConfig } from '../config/load.ts'
import { isDevProfile } from '../config/profile.ts'
import type { Config } from '../config/settings.ts'
import type { GenesisSource } from '../node/application/service.ts'
import { startNode } from '../node/node.ts'
import { deriveDevKeys, describeAccounts } from './devAccounts.ts'
import { prepareEngine } from './engine.ts'
import { givenChain } from './givenChain.ts'
import { openKeys } from './keys.ts'
import { poolSettingsOf } from './poolSettings.ts'
import type { RunningChain } from './runningChain.ts'

const coin = 10n ** 18n
/** Opens the chain of the home, or begins the one that the configuration asks for; a home must hold what is given. */
export const openChain = async (
  config: Config,
  log: Logger,
  given: LoadedConfig['given'] = new Map(),
): Promise<RunningChain> => {
  const keys = deriveDevKeys(config)
  const waits = new LockWaits()
  const nodeKeys = openKeys(config, isDevProfile(config) ? keys.accounts : [], waits)
  const addresses = keys.accounts.map((key) => publicKeyToAddress(secp256k1.publicKey(key)))
  const coinbase = config.coinbase ?? publicKeyToAddress(secp256k1.publicKey(keys.coinbase))
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
        given: givenChain(config, given, keys),
        pruning: config.pruning,
        engine: engine.options,
        appearances: config.index.appearances,
        coinbase,
        minimumGasPrice: config.minimumGasPrices,
        pool: poolSettingsOf(config),
        jsonRpc: config.jsonRpc,
        traceFolders: {
          spoolFolder: join(config.home, 'tmp', 'traces'),
          folder: join(config.home, 'traces'),
        },
        snapshots: config.snapshot,
      },
      log,
      waits,
    )
    if (node.isNew && config.genesis === undefined) {
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
const actionable = new Map([
  ['StoreError', exitCodes.badFile],
  ['GenesisError', exitCodes.badFile],
  ['LowSpaceError', exitCodes.badFile],
  ['GenesisConflictError', exitCodes.badConfig],
])

const explain = (error: unknown): unknown => {
  const code = error instanceof ThreadError ? actionable.get(error.thrownName) : undefined
  return code === undefined ? error : new ExitError(code, (error as ThreadError).message)
}

const readGenesis = (
  config: Config,
  addresses: readonly Uint8Array[],
  coinbase: Uint8Array,
  validators: JsonObject | undefined,
): GenesisSource => {
  if (config.genesis !== undefined) {
    try {
      return { kind: 'file', text: readFileSync(config.genesis, 'utf8') }
    } catch (error) {
      throw new ExitError(exitCodes.badFile, `the genesis file cannot be read: ${(error as Error).message}`)
    }
  }
  const balance = config.balance * coin
  return {
    kind: 'dev',
    options: {
      chainId: config.chainId,
      accounts: addresses.map((address) => ({ address, balance })),
      coinbase,
      timestamp: BigInt(Math.floor(Date.now() / 1000)),
      fork: config.forkName,
      validators,
    },
  }
}
