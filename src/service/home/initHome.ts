import { existsSync } from 'node:fs'
import { genesisHashOf } from '../../app/genesisHash.ts'
import { keepGenesis } from '../../app/homeRecord.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { badConfig } from '../../base/exit.ts'
import { lockHome } from '../../base/lock/homeLock.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { parseGenesisFile } from '../../chain/genesis/genesisFile.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { settingValue } from '../../config/settings/sections.ts'
import { type Config, type SettingName, settingEntries } from '../../config/settings/settings.ts'
import { appTomlPath, updateAppToml, writeDefaultAppToml } from '../../config/toml/appToml.ts'
import { hasChainFile, modePath } from '../../home/layout.ts'
import { type HomeMode, writeHomeMode } from '../../home/mode.ts'
import { loadSecret } from '../../rpc/access/secret.ts'
import { assertUsableGenesis } from '../genesis/usableGenesis.ts'
import { readSettings } from '../settings/engineOptions.ts'
import { ensureHome } from './homeFolder.ts'
import { describeEngineHome, type EngineIdentity } from './networkId.ts'

/** A home that was made. */
export interface NewHome {
  readonly home: string
  readonly mode: HomeMode
  /** Undefined without CometBFT. */
  readonly identity: EngineIdentity | undefined
}

/** What the mode and the genesis of the home say from then on. */
const notForFile: readonly SettingName[] = ['home', 'engine', 'genesis', 'dev', 'ephemeral']

/** Makes a home: its mode, keys, settings and the engine's configuration. Nothing is started. */
export const initHome = async (
  { config, sources, given }: LoadedConfig,
  moniker: string | undefined,
): Promise<NewHome> => {
  const { home, engine } = config
  if (engine === 'none')
    throw badConfig('engine: got none, wanted the engine that makes the blocks of this home')
  if (config.ephemeral) throw badConfig('ephemeral: such a chain has no home to make')
  assertNoHome(home)
  const file = config.genesis === undefined ? undefined : parseGenesisFile(config.genesis)
  if (file !== undefined) await checkGenesis(file.genesis, { config, sources })
  ensureHome(home)
  const unlock = lockHome(home)
  try {
    assertNoHome(home)
    if (file !== undefined) keepGenesis(home, file.text)
    loadSecret(home)
    await writeSettings(config, sources)
    const identity = engine === 'cometbft' ? await makeCometHome(config, given, moniker) : undefined
    // Last: a home that says that it is CometBFT's has its keys, and one that was left before this can be made again.
    const mode = toMode(engine, file?.genesis)
    writeHomeMode(home, mode)
    return { home, mode, identity }
  } finally {
    unlock()
  }
}

/** A validator's home without a genesis waits for one: it never begins a chain of its own. */
const toMode = (engine: NonNullable<HomeMode['engine']>, genesis: Genesis | undefined): HomeMode => {
  if (genesis === undefined) return { engine, dev: engine === 'solo' }
  return { engine, dev: false, chainId: genesis.config.chainId, genesisHash: toHex(genesisHashOf(genesis)) }
}

const assertNoHome = (home: string): void => {
  if (existsSync(modePath(home)) || hasChainFile(home))
    throw badConfig(`${home} is a home already: start it, or make another one with --home`)
}

/** Checks a genesis as a start does, since the home is bound to it from now on. */
const checkGenesis = async (
  genesis: Genesis,
  { config, sources }: Pick<LoadedConfig, 'config' | 'sources'>,
): Promise<void> => {
  const { chainId } = genesis.config
  if (sources['chain-id'].from !== 'default' && config.chainId !== chainId)
    throw badConfig(
      `chain-id: got ${config.chainId} (${sources['chain-id'].where}), but ${config.genesis} has ${chainId}: leave it out`,
    )
  await assertUsableGenesis(genesis, config.engine)
}

const makeCometHome = async (
  config: Config,
  given: LoadedConfig['given'],
  moniker: string | undefined,
): Promise<EngineIdentity> => {
  const { makeEngineHome } = await import('../../engine/cometbft/prepare.ts')
  makeEngineHome(readSettings(config, given), config.home, moniker)
  return describeEngineHome(config.home)
}

/** Writes app.toml with the settings that were given as flags, so that the starts have them. */
const writeSettings = async (config: Config, sources: LoadedConfig['sources']): Promise<void> => {
  await writeDefaultAppToml(config.home)
  for (const [name, { kind }] of settingEntries)
    if (sources[name].from === 'flag' && !notForFile.includes(name))
      await updateAppToml(appTomlPath(config.home), name, kind.toToml(settingValue(config, name)))
}
