import type { Config } from '../config/settings.ts'
import type { EngineFactory, EngineHost, PreparedEngine } from '../engine/engine.ts'
import { type EngineSettings, engines } from '../engine/engines.ts'

/** Every engine that the setting names; a missing one does not compile. */
const byName: Readonly<Record<Config['engine'], () => Promise<EngineFactory<EngineSettings>>>> = engines

/** Prepares the engine that the configuration names. */
export const prepareEngine = async (config: Config, host: EngineHost): Promise<PreparedEngine> => {
  const prepare = await byName[config.engine]()
  return prepare(readSettings(config), host)
}

/** Returns the settings of all engines. */
export const readSettings = (config: Config): EngineSettings => ({
  blockTimeMs: config.blockTime,
  createEmptyBlocks: config.createEmptyBlocks,
  snapshots: config.snapshot,
  cometbft: {
    program: config.cometbft,
    abci: config.abciAddress,
    rpcUrl: config.engineRpc,
    newHome: {
      p2pAddress: config.engineP2p,
      persistentPeers: config.persistentPeers,
      stateSync: config.statesync,
      metricsAddress: config.engineMetrics,
    },
  },
})
