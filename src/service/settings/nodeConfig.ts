import { existsSync } from 'node:fs'
import { badFile } from '../../base/exit.ts'
import { ConfigError } from '../../config/configError.ts'
import { type ConfigInputs, type LoadedConfig, loadConfig } from '../../config/load.ts'
import type { SettingName } from '../../config/settings/settings.ts'
import { hasChainFile, hasCometFiles, modePath } from '../../home/layout.ts'
import type { KnownMode } from '../../home/mode.ts'

/**
 * Loads the configuration of a node. What a home of an older version is, which does not say it, is found out from its
 * chain.
 */
export const loadNodeConfig = async (
  inputs: Omit<ConfigInputs, 'purpose' | 'mode'>,
): Promise<LoadedConfig> => {
  const loaded = await reloadNodeConfig(inputs)
  if (beginningSettings.some((name) => loaded.given.has(name))) {
    const isKept = !loaded.config.ephemeral && inputs.isTemporaryHome !== true
    await (await import('../genesis/givenBeginning.ts')).checkGivenBeginning(loaded, isKept)
  }
  return loaded
}

/** The settings of how a dev chain begins. */
const beginningSettings: readonly SettingName[] = [
  'fork-name',
  'genesis-gas-limit',
  'genesis-code-size',
  'genesis-transaction-gas',
  'genesis-base-fee',
  'genesis-time',
]

/** Loads the configuration of a node whose chain is open, with which the settings agreed. */
export const reloadNodeConfig = async (
  inputs: Omit<ConfigInputs, 'purpose' | 'mode'>,
): Promise<LoadedConfig> => {
  const loaded = await loadKnown(inputs)
  // Most starts name no genesis or begin with it. They do not load what the check needs.
  if (loaded.given.has('genesis') && loaded.mode?.genesisHash !== undefined)
    await (await import('../genesis/givenGenesis.ts')).checkGivenGenesis(loaded)
  return loaded
}

const loadKnown = async (inputs: Omit<ConfigInputs, 'purpose' | 'mode'>): Promise<LoadedConfig> => {
  const { loaded, refusal } = loadOrRefuse(inputs)
  const { home, ephemeral, genesis } = loaded.config
  const isTold = ephemeral || inputs.isTemporaryHome || existsSync(modePath(home)) || !hasChainFile(home)
  const mode = isTold ? undefined : await findMode(home, genesis !== undefined)
  if (mode !== undefined) return loadConfig({ ...inputs, purpose: 'node', mode })
  if (refusal !== undefined) throw refusal
  return loaded
}

/**
 * Returns the settings of a start, and why what lies in the home rejects them: keys of CometBFT beside a chain that it did not
 * make are no reason, so that the chain is asked first.
 */
const loadOrRefuse = (
  inputs: ConfigInputs,
): { readonly loaded: LoadedConfig; readonly refusal?: ConfigError } => {
  try {
    return { loaded: loadConfig({ ...inputs, purpose: 'node' }) }
  } catch (refusal) {
    if (!(refusal instanceof ConfigError)) throw refusal
    try {
      return { loaded: loadConfig({ ...inputs, purpose: 'other' }), refusal }
    } catch {
      throw refusal
    }
  }
}

/** Finds out from the chain of a home what it is; undefined if it does not tell. Throws an ExitError if it cannot be read. */
export const findMode = async (home: string, hasGenesisFile: boolean): Promise<KnownMode | undefined> => {
  const { readOrigin } = await import('../../app/chainOrigin.ts')
  const origin = await readOrigin(home).catch((error: Error) => {
    throw badFile(error.message)
  })
  if (origin === undefined) return undefined
  const { isDev, hasValidators } = origin
  // Without validators CometBFT cannot have made it, whatever else is there. With them, a copy may have come without CometBFT's files.
  const engine = hasValidators ? (hasCometFiles(home) ? 'cometbft' : undefined) : 'solo'
  return { ...(engine === undefined ? {} : { engine }), dev: isDev && !hasGenesisFile }
}
