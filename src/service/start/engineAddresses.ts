import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ListenAddress } from '../../config/kinds/addresses.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { Config } from '../../config/settings/settings.ts'
import { configPath } from '../../engine/cometbft/process/home.ts'
import { readListenAddresses } from '../../engine/cometbft/process/readConfig.ts'

/** Where CometBFT would listen. */
interface EngineAddress {
  /** The setting that names it. */
  readonly setting: string
  /** How to name another one; a flag if missing. */
  readonly another?: string
  /** Undefined if it does not listen there. */
  readonly address: ListenAddress | undefined
}

/** Returns where the engine would listen: where the settings say, or else what an existing home has in its configuration. */
export const engineAddresses = (
  { home, engineRpc, engineP2p }: Config,
  given: LoadedConfig['given'],
): readonly EngineAddress[] => {
  const folder = join(home, 'engine')
  const path = configPath({ folder })
  const ofSettings = {
    rpc: { setting: 'engine-rpc', address: parseUrl(engineRpc) },
    p2p: { setting: 'engine-p2p', address: parseUrl(`http://${engineP2p}`) },
  }
  if (!existsSync(path)) return [ofSettings.rpc, ofSettings.p2p]
  try {
    const { rpc, p2p } = readListenAddresses(folder)
    return [
      given.has('engine-rpc')
        ? ofSettings.rpc
        : { setting: 'rpc.laddr', another: `rpc.laddr in ${path}`, address: rpc },
      given.has('engine-p2p')
        ? ofSettings.p2p
        : { setting: 'p2p.laddr', another: `p2p.laddr in ${path}`, address: p2p },
    ]
  } catch {
    // `checkEngine` tells why it cannot be read.
    return []
  }
}

const parseUrl = (text: string): ListenAddress => {
  const { hostname, port } = new URL(text)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) }
}
