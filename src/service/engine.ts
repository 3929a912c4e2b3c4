import { ConfigError } from '../config/configError.ts'
import type { Config } from '../config/settings.ts'
import { type AbciAddress, parseAddress } from '../engine/cometbft/address.ts'
import type { StateSyncOptions } from '../engine/cometbft/process/config.ts'
import type { EngineFactory, EngineHost, PreparedEngine } from '../engine/engine.ts'
import { type EngineSettings, engines } from '../engine/engines.ts'

/** Every engine that the setting names is there: a missing one does not compile. */
const byName: Readonly<Record<Config['engine'], EngineFactory<EngineSettings>>> = engines

/** Makes the engine ready that the configuration asks for. */
export const prepareEngine = (config: Config, host: EngineHost): Promise<PreparedEngine> =>
  byName[config.engine](readSettings(config), host)

const readSettings = (config: Config): EngineSettings => ({
  blockTimeMs: config.blockTime,
  createEmptyBlocks: config.createEmptyBlocks,
  snapshots: config.snapshot,
  cometbft: {
    program: config.cometbft,
    abci: config.abciAddress === undefined ? undefined : readAbciAddress(config.abciAddress),
    rpcUrl: config.engineRpc,
    newHome: {
      p2pAddress: config.engineP2p,
      persistentPeers: config.persistentPeers.split(',').filter((peer) => peer !== ''),
      stateSync: checkedStateSync(config),
      metricsAddress: config.engineMetrics,
    },
  },
})

const readAbciAddress = (text: string): AbciAddress => {
  const address = parseAddress(text)
  if (address === undefined)
    throw new ConfigError([
      `abci-address: got ${JSON.stringify(text)}, wanted unix:///path or tcp://host:port`,
    ])
  return address
}

/** Refuses what is missing or wrong for a state sync at once. */
const checkedStateSync = ({ statesync }: Config): StateSyncOptions => {
  const { rpcServers, trustHeight, trustHash } = statesync
  if (rpcServers.length === 0) return statesync
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
  return statesync
}
