import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { ExitError, exitCodes } from '../base/exit.ts'
import type { Logger } from '../base/log.ts'
import { LockWaits } from '../base/profiling/lockWaits.ts'
import { ThreadError } from '../base/threadCalls.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/settings.ts'
import { type GatewayOptions, startGateway } from '../gateway/gateway.ts'
import { openKeys } from '../service/keys.ts'
import { poolSettingsOf } from '../service/poolSettings.ts'
import type { RunningChain } from '../service/runningChain.ts'
import { takeSettings } from './flags.ts'
import { shortFlags } from './gatewayFlags.ts'
import { serveUntilStopped } from './serve.ts'

/** `perihelion gateway`: the Ethereum API in front of a chain that others run, until a signal ends it. */
export const register = (program: Command): void => {
  const command = program
    .command('gateway')
    .description('Serve JSON-RPC in front of the nodes of a Cosmos EVM chain')
  takeSettings(command, async (flags) => {
    const { config } = loadConfig({ flags: shortFlags(flags), env: process.env, purpose: 'gateway' })
    // What makes development easy is for chains of one's own.
    await serveUntilStopped({ ...config, dev: false }, openGateway)
  })
}

/** Finds the chain behind the nodes of the configuration, and follows it. */
export const openGateway = async (config: Config, log: Logger): Promise<RunningChain> => {
  const options = gatewayOptions(config)
  const waits = new LockWaits()
  const keys = openKeys(config, [], waits)
  try {
    const gateway = await startGateway(options, log)
    return {
      chain: gateway.chain,
      waits,
      facts: {},
      keys,
      workerStats: undefined,
      engineCalls: undefined,
      poolStats: gateway.poolStats,
      gatewayStats: gateway.stats,
      isReady: () => gateway.isInStep(),
      close: async () => {
        keys.close()
        await gateway.close()
      },
    }
  } catch (error) {
    keys.close()
    throw explain(error)
  }
}

const gatewayOptions = (config: Config): GatewayOptions => ({
  home: config.home,
  gateway: config.gateway,
  forks: readForks(config.gateway.forks),
  jsonRpc: config.jsonRpc,
  minimumGasPrice: config.minimumGasPrices,
  appearances: config.index.appearances,
  pool: poolSettingsOf(config),
})

const readForks = (path: string | undefined): unknown => {
  if (path === undefined) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new ExitError(exitCodes.badFile, `the file of forks cannot be read: ${(error as Error).message}`)
  }
}

/** Errors that an operator can act on, each with the code that says whether it helps to try again. */
const actionable: Readonly<Record<string, ConstructorParameters<typeof ExitError>[0]>> = {
  NativeQueryError: exitCodes.noUpstream,
  UpstreamFault: exitCodes.noUpstream,
  DetectionError: exitCodes.badConfig,
  StoreError: exitCodes.badConfig,
  LowSpaceError: exitCodes.badFile,
}

const explain = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const name = error instanceof ThreadError ? error.thrownName : error.name
  const code = Object.hasOwn(actionable, name) ? actionable[name] : undefined
  return code === undefined ? error : new ExitError(code, error.message)
}
