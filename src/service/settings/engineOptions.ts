import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import type { EngineFactory, EngineHost, PreparedEngine } from '../../engine/engine.ts'
import { type EngineSettings, engines } from '../../engine/engines.ts'

/** Every engine that the setting names; a missing one does not compile. */
const byName: Readonly<Record<Config['engine'], () => Promise<EngineFactory<EngineSettings>>>> = engines

/** Prepares the engine that the configuration names. */
export const prepareEngine = async (
  config: Config,
  given: LoadedConfig['given'],
  host: EngineHost,
): Promise<PreparedEngine> => {
  const prepare = await byName[config.engine]()
  return prepare(readSettings(config, given), host)
}

/** Returns the settings of all engines. */
export const readSettings = (config: Config, given: LoadedConfig['given']): EngineSettings => ({
  blockTimeMs: config.blockTime,
  createEmptyBlocks: config.createEmptyBlocks,
  snapshots: config.snapshot,
  cometbft: {
    program: config.cometbft,
    abci: config.abciAddress,
    rpcUrl: config.engineRpc,
    owned: {
      p2pAddress: config.engineP2p,
      metricsAddress: config.engineMetrics,
      persistentPeers: config.persistentPeers,
      seeds: config.seeds,
      privatePeers: config.privatePeers,
      unconditionalPeers: config.unconditionalPeers,
      peerExchange: config.peerExchange,
      externalAddress: config.externalAddress,
      stateSync: config.statesync,
      remoteSigner: config.privValidatorLaddr,
    },
    given,
  },
})
