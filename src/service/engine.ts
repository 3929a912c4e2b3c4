import { join } from 'node:path'
import { ExitError, exitCodes } from '../base/exit.ts'
import type { Logger } from '../base/log.ts'
import type { JsonObject } from '../chain/config/gethJson.ts'
import { validatorConfigJson } from '../chain/validators/validators.ts'
import type { Config } from '../config/settings.ts'
import { createEngineConfig } from '../engine/cometbft/process/config.ts'
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
    const { blockTime, createEmptyBlocks } = config
    return { options: { kind: 'solo', blockTimeMs: blockTime, createEmptyBlocks }, validators: undefined }
  }
  const engineHome = ensureEngineHome(join(home, 'engine'))
  const onFatal = (reason: string): void => {
    log.fatal({ reason }, 'the engine is gone: this node ends')
    process.exitCode = exitCodes.internal
    process.kill(process.pid, 'SIGTERM')
  }
  const place =
    config.abciAddress === undefined
      ? await prepareManaged(config, engineHome, join(home, 'engine', 'app.sock'), log)
      : { kind: 'attached' as const, abci: config.abciAddress, rpcUrl: config.engineRpc }
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
    throw new ExitError(exitCodes.badConfig, `${socket} is too long for a socket: use a shorter --home`)
  const { hostname, port } = new URL(config.engineRpc)
  const { persistentPeers } = config
  ensureConfig(
    home,
    createEngineConfig({
      moniker: 'perihelion',
      p2pAddress: config.engineP2p,
      rpcAddress: `${hostname}:${port || httpPort}`,
      persistentPeers,
      blockTimeMs: config.blockTime ?? cometPauseMs,
      isLocal: persistentPeers.length > 0 && persistentPeers.every(isOnThisMachine),
      stateSync: config.statesync,
      metricsAddress: config.engineMetrics,
    }),
  )
  const program = await findProgram({ path: config.cometbft, tell: (text) => log.info(text) })
  return { kind: 'managed' as const, program, folder: home.folder, socket }
}

const isOnThisMachine = (peer: string): boolean => /@(?:127(?:\.\d+){3}|localhost|\[::1\]):\d+$/.test(peer)
