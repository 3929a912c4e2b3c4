import { join } from 'node:path'
import { badConfig, exitCodes } from '../base/exit.ts'
import type { Logger } from '../base/log.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import { validatorConfigJson } from '../chain/validators/validators.ts'
import { ConfigError } from '../config/configError.ts'
import type { Config } from '../config/settings.ts'
import { parseAddress } from '../engine/cometbft/address.ts'
import { createEngineConfig, type StateSyncOptions } from '../engine/cometbft/process/config.ts'
import { type EngineHome, ensureConfig, ensureEngineHome } from '../engine/cometbft/process/home.ts'
import { findProgram } from '../engine/cometbft/process/program.ts'
import type { EngineOptions } from '../engine/engine.ts'

export interface PreparedEngine {
  readonly options: EngineOptions
  /** `config.perihelion` for a dev genesis: this node alone decides. */
  readonly validators: JsonObject | undefined
}

const cometPauseMs = 1000
/** What a URL means that names no port. */
const httpPort = 80

/** The engine that the configuration asks for; CometBFT's home and program are made ready. */
export const prepareEngine = async (
  config: Config,
  home: string,
  coinbase: Uint8Array,
  log: Logger,
): Promise<PreparedEngine> => {
  if (config.engine === 'none') return { options: { kind: 'none' }, validators: undefined }
  if (config.engine === 'solo') {
    const blockTimeMs = config['block-time'] === 0 ? undefined : config['block-time']
    const createEmptyBlocks = config['create-empty-blocks']
    return { options: { kind: 'solo', blockTimeMs, createEmptyBlocks }, validators: undefined }
  }
  const engineHome = ensureEngineHome(join(home, 'engine'))
  const onFatal = (reason: string): void => {
    log.fatal({ reason }, 'the engine is gone: this node ends')
    process.exitCode = exitCodes.internal
    process.kill(process.pid, 'SIGTERM')
  }
  const place =
    config['abci-address'] === ''
      ? await prepareManaged(config, engineHome, join(home, 'engine', 'app.sock'), log)
      : { kind: 'attached' as const, abci: readAbciAddress(config), rpcUrl: config['engine-rpc'] }
  return {
    options: { kind: 'cometbft', place, onFatal },
    validators: validatorConfigJson({
      validators: [{ publicKey: engineHome.validatorKey.publicKey, power: 10n, reward: coinbase }],
      admin: coinbase,
    }),
  }
}

const prepareManaged = async (config: Config, home: EngineHome, socket: string, log: Logger) => {
  // Longer ones are cut short by the system without a word.
  if (Buffer.byteLength(socket) > 107)
    throw badConfig(`${socket} is too long for a socket: use a shorter --home`)
  const { hostname, port } = new URL(config['engine-rpc'])
  const persistentPeers = config['persistent-peers'].split(',').filter((peer) => peer !== '')
  ensureConfig(
    home,
    createEngineConfig({
      moniker: 'perihelion',
      p2pAddress: config['engine-p2p'],
      rpcAddress: `${hostname}:${port || httpPort}`,
      persistentPeers,
      blockTimeMs: config['block-time'] === 0 ? cometPauseMs : config['block-time'],
      isLocal: persistentPeers.length > 0 && persistentPeers.every(isOnThisMachine),
      stateSync: readStateSync(config),
      metricsAddress: config['engine-metrics'] || undefined,
    }),
  )
  const program = await findProgram({ path: config.cometbft, tell: (text) => log.info(text) })
  return { kind: 'managed' as const, program, folder: home.folder, socket }
}

const readAbciAddress = (config: Config) => {
  const address = parseAddress(config['abci-address'])
  if (address === undefined)
    throw new ConfigError([
      `abci-address: got ${JSON.stringify(config['abci-address'])}, wanted unix:///path or tcp://host:port`,
    ])
  return address
}

const isOnThisMachine = (peer: string): boolean => /@(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+$/.test(peer)

const readStateSync = (config: Config): StateSyncOptions | undefined => {
  const rpcServers = config['statesync.rpc-servers']
  if (rpcServers.length === 0) return undefined
  const trustHeight = config['statesync.trust-height']
  const trustHash = config['statesync.trust-hash']
  const faults = [
    ...(rpcServers.length < 2
      ? ['statesync.rpc-servers: got one address, wanted two or more: one is checked against the other']
      : []),
    ...(trustHeight < 1
      ? ['statesync.trust-height: got 0, wanted the height of a block that is known to be right']
      : []),
    ...(/^[0-9a-fA-F]{64}$/.test(trustHash)
      ? []
      : [
          `statesync.trust-hash: got ${JSON.stringify(trustHash)}, wanted CometBFT's hash of that block, 64 hex digits`,
        ]),
  ]
  if (faults.length > 0) throw new ConfigError(faults)
  return { rpcServers, trustHeight, trustHash, trustPeriodMs: config['statesync.trust-period'] }
}
