import { join } from 'node:path'
import { badConfig, exitCodes } from '../../base/exit.ts'
import { LockWaitStats } from '../../base/profiling/lockWaitStats.ts'
import type { ResourceStack } from '../../base/resources.ts'
import { endSpareWorker, prestartWorker } from '../../base/threads/builtFiles.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { isDevProfile } from '../../config/rules/profile.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { PreparedEngine } from '../../engine/engine.ts'
import { gatewayCommand, isGatewayHome } from '../../home/layout.ts'
import { keyToAddress } from '../../keystore/wallets/knownKeys.ts'
import type { GenesisSource } from '../../node/application/service.ts'
import { startNode } from '../../node/node.ts'
import type { ServedChain } from '../chain/servedChain.ts'
import { readConfiguredGenesis } from '../genesis/configuredGenesis.ts'
import { deriveDevKeys, renderAccounts } from '../genesis/devAccounts.ts'
import { givenChain } from '../genesis/givenChain.ts'
import { makeTemporaryFolder } from '../home/homeFolder.ts'
import { describeNewHome, lostChainMessage, newHomeMessage, toRecord } from '../home/homeRecord.ts'
import { toChainLimits } from '../settings/chainLimits.ts'
import { prepareEngine } from '../settings/engineOptions.ts'
import { toForkOptions } from '../settings/forkOptions.ts'
import { toPoolSettings } from '../settings/poolSettings.ts'
import { failedCommit } from './failedCommit.ts'
import { createOpenChain } from './openChain.ts'
import { openKeys } from './openKeys.ts'
import { assertAll, nodeChecks } from './startChecks.ts'
import type { ChainHost } from './startService.ts'

const coin = 10n ** 18n
/** A chain that nobody opens again needs less of a reserve, and often lives on a small disk. */
const ephemeralMinFreeBytes = 16 * 2 ** 20

const open = async (config: Config, host: ChainHost, resources: ResourceStack): Promise<ServedChain> => {
  const { log } = host
  const isEphemeral = config.ephemeral || host.isTemporaryHome === true
  if (!config.ephemeral && isGatewayHome(config.home))
    throw badConfig(
      `${config.home} is the home of a gateway: start it with \`${gatewayCommand(config.home)}\`, or choose another --home`,
    )
  if (!isEphemeral) await assertAll(nodeChecks, { config, given: host.given, mode: host.mode })
  const isSingleThreaded = isEphemeral && config.engine !== 'cometbft'
  if (!isSingleThreaded) {
    // The thread of the application loads its code while the keys are made here, if the command line has not started it. A start that fails before leaves it behind.
    prestartWorker('app')
    resources.own('thread started ahead', () => endSpareWorker('app'))
  }
  const keys = deriveDevKeys(config)
  const lockWaits = new LockWaitStats()
  // A home that is removed anyway needs no folder beside it.
  const folder = config.ephemeral && host.isTemporaryHome !== true ? temporaryFolder(resources) : undefined
  const nodeKeys = openKeys(config, isDevProfile(config) ? keys.accounts : [], lockWaits)
  resources.own('keys', () => nodeKeys.close())
  const addresses = keys.accounts.map(keyToAddress)
  const isDevChain = host.mode?.dev ?? config.genesis === undefined
  const record = isEphemeral ? undefined : toRecord(config, isDevChain)
  const devCoinbase = keyToAddress(keys.coinbase)
  // Everybody has the key of the dev chain's: nobody else's tips go there.
  const coinbase = config.coinbase ?? (isDevChain ? devCoinbase : undefined)
  const engine = await prepareEngine(config, host.given, {
    ...host,
    home: folder ?? config.home,
    coinbase,
  })
  const node = await startNode(
    {
      dataFolder: folder ?? join(config.home, 'data'),
      isEphemeral,
      // Such a chain belongs to one client, often a test, and a thread takes longer to start than all that it must do.
      isSingleThreaded,
      minFreeBytes: isEphemeral ? Math.min(config.minFreeSpace, ephemeralMinFreeBytes) : config.minFreeSpace,
      onCommitFailed: (reason) => failedCommit(config, isEphemeral, reason, host),
      genesis: readGenesis({ config, given: host.given }, addresses, coinbase ?? devCoinbase, engine),
      given: givenChain(config, host.given, keys),
      record,
      pruning: config.pruning,
      retainedBlocks: config.minRetainBlocks,
      engine,
      appearances: config.index.appearances,
      calls: config.index.calls,
      coinbase,
      minimumGasPrice: config.minimumGasPrices,
      pool: toPoolSettings(config),
      jsonRpc: config.jsonRpc,
      traceFolders: {
        spoolFolder: join(config.home, 'tmp', 'traces'),
        folder: join(config.home, 'traces'),
        minFreeBytes: config.minFreeSpace,
      },
      watchesConsole: isDevProfile(config) && !config.quiet,
      fork: toForkOptions(config, host.given, addresses),
    },
    log,
    lockWaits,
  )
  resources.own('node', () => node.close())
  if (node.isNew && !isEphemeral) {
    const described = describeNewHome(config, isDevChain, node.chain.config.chainId)
    if (record?.known?.begun) log.warn(described, lostChainMessage)
    else log.info(described, newHomeMessage)
  }
  if (config.engine === 'solo' && coinbase === undefined)
    log.info('the tips of blocks go to the coinbase of the genesis: --coinbase names another address')
  const isFirstStart = node.isNew && config.genesis === undefined
  return {
    chain: node.chain,
    lockWaits,
    readyFields: node.readyFields,
    welcome: isFirstStart ? renderAccounts(config, keys.accounts, addresses) : undefined,
    engineStats: node.engineStats,
    aheadStats: node.aheadStats,
    console: {
      block: () => node.consoleBlock(),
      onCall: (listener) => node.onConsoleCall(listener),
      onFailedCall: (listener) => node.onFailedCall(listener),
    },
    workerStats: () => node.workerStats(),
    keys: nodeKeys,
    poolStats: () => node.poolStats(),
    forkStats: node.forkStats,
    gatewayStats: undefined,
    diskStats: () => node.diskStats(),
    isReady: () => node.engineStats?.().failure === undefined && node.writeProblem() === undefined,
    findProblem: () => {
      const problem = node.writeProblem()
      return problem === undefined
        ? undefined
        : { reason: node.diskStats().isLow ? 'disk' : 'store', problem }
    },
    shared: {
      dataFile: node.dataFile,
      pruning: config.pruning,
      retainedBlocks: config.minRetainBlocks,
      minimumGasPrice: config.minimumGasPrices,
      watchHead: (witness) => node.watchHead(witness),
      clearStaleReaders: () => node.clearStaleReaders(),
    },
    stopCalls: () => node.stopCalls(),
    close: () => resources.closeAll(),
  }
}

const temporaryFolder = (resources: ResourceStack): string => {
  const { path, remove } = makeTemporaryFolder()
  resources.own('temporary folder', remove)
  return path
}

/** Opens the chain of the home, or creates the configured one. The home must match the user's settings. */
export const openNode = createOpenChain({
  what: 'chain',
  exitCodes: {
    StoreError: exitCodes.badFile,
    GenesisError: exitCodes.badFile,
    LowSpaceError: exitCodes.badFile,
    PoisonedError: exitCodes.badFile,
    DamagedFileError: exitCodes.badFile,
    UnusableFileError: exitCodes.badFile,
    GenesisConflictError: exitCodes.badConfig,
    UnusableGenesisError: exitCodes.badConfig,
    // The remote of a fork that does not answer, or not as it should.
    ChainError: exitCodes.noUpstream,
  },
  open,
})

const readGenesis = (
  { config, given }: Pick<LoadedConfig, 'config' | 'given'>,
  addresses: readonly Uint8Array[],
  coinbase: Uint8Array,
  { genesisConfig, checkGenesis }: PreparedEngine,
): GenesisSource => {
  const file = readConfiguredGenesis({ config, given })
  if (file !== undefined) {
    const { text, path, genesis } = file
    // Before the chain is begun: a home with a chain that its engine rejects could begin no other one.
    checkGenesis?.(genesis.config.source)
    return { kind: 'file', text, path, isOfHome: !given.has('genesis') }
  }
  const balance = config.balance * coin
  return {
    kind: 'dev',
    options: {
      chainId: config.chainId,
      accounts: addresses.map((address) => ({ address, balance })),
      coinbase,
      timestamp: BigInt(config.genesisTime ?? Math.floor(Date.now() / 1000)),
      fork: config.forkName,
      gasLimit: config.genesisGasLimit,
      baseFee: config.genesisBaseFee,
      limits: toChainLimits(config),
      validators: genesisConfig,
    },
  }
}
