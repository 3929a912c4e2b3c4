import { existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { errorCode } from '../base/files/writeAll.ts'
import { homeGenesisPath, modePath } from '../home/layout.ts'
import { bindingMode, type KnownMode, readHomeMode } from '../home/mode.ts'
import { ConfigError } from './configError.ts'
import { describeMismatch } from './kinds/kind.ts'
import { checkEphemeral, checkHomeRules } from './rules/homeRules.ts'
import { checkRules, type Purpose } from './rules/rules.ts'
import { environmentPrefix, nearestSetting, toEnvironmentName } from './settings/names.ts'
import { retirementOfVariable } from './settings/retired.ts'
import { toConfig } from './settings/sections.ts'
import { type Setting, showMismatch } from './settings/setting.ts'
import {
  type Config,
  type SettingName,
  type SettingValues,
  settingEntries,
  settings,
} from './settings/settings.ts'
import { parseFlags } from './sources/flags.ts'
import { type ConfigOptions, readOptions } from './sources/options.ts'
import { isServiceLink } from './sources/serviceLinks.ts'
import { appTomlPath } from './toml/appToml.ts'
import { type FileValue, readAppToml } from './toml/fileValues.ts'

/** The source of a setting's value: the layer, and the exact position for a user to look at. */
interface Source {
  readonly from: 'option' | 'flag' | 'environment' | 'file' | 'home' | 'default'
  readonly where: string
}

export interface LoadedConfig {
  readonly config: Config
  readonly sources: { readonly [K in SettingName]: Source }
  /**
   * The settings that the user chose, with their sources. A default in app.toml is not included, because the first
   * start writes all of them there.
   */
  readonly given: ReadonlyMap<SettingName, string>
  /** What the home is already, for a node that keeps its chain there; undefined if it may still become anything. */
  readonly mode: KnownMode | undefined
}

export interface ConfigInputs {
  /** The settings of a program that uses this one as a library. */
  readonly options?: ConfigOptions
  /** The arguments after the name of the command. */
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The purpose, which selects the rules to check. The default is a command beside a node or gateway. */
  readonly purpose?: Purpose
  /** Defaults of the command that replace those of the table. */
  readonly defaults?: Partial<SettingValues>
  /** What the home is, where somebody found it out from its chain; by default what the home says. */
  readonly mode?: KnownMode | undefined
  /** Whether the home is removed at the end, so that nothing in it binds anybody. Defaults to false. */
  readonly isTemporaryHome?: boolean
}

interface LayerValue {
  readonly value: unknown
  readonly source: Source
}

interface Layer {
  readonly found: ReadonlyMap<SettingName, LayerValue>
  readonly problems: readonly string[]
}

/** Parses the texts of a layer; `where` spells a setting as its user wrote it. */
const readTexts = (
  from: Source['from'],
  where: (name: SettingName) => string,
  textOf: (name: SettingName) => string | undefined,
): Layer => {
  const found = new Map<SettingName, LayerValue>()
  const problems: string[] = []
  for (const [name, setting] of settingEntries) {
    const { kind } = setting
    const text = textOf(name)
    if (text === undefined) continue
    const read = kind.fromText(text)
    if (read === undefined)
      problems.push(
        `${where(name)}: ${describeMismatch(showMismatch(setting, JSON.stringify(text), text), kind)}`,
      )
    else found.set(name, { source: { from, where: where(name) }, value: read.value })
  }
  return { found, problems }
}

const readFlags = (flags: readonly string[]): Layer => {
  const { texts, problems } = parseFlags(flags)
  const layer = readTexts(
    'flag',
    (name) => `--${name}`,
    (name) => texts.get(name),
  )
  return { found: layer.found, problems: [...problems, ...layer.problems] }
}

const readEnvironment = (env: NonNullable<ConfigInputs['env']>): Layer => {
  // Mostly there are none, and to spell all names takes as long as to read the file.
  if (!Object.keys(env).some((key) => key.toUpperCase().startsWith(environmentPrefix)))
    return { found: new Map(), problems: [] }
  const known = new Set(settingEntries.map(([name]) => toEnvironmentName(name)))
  const unknown = Object.entries(env)
    .filter(([key, value]) => key.startsWith(environmentPrefix) && value !== undefined && !known.has(key))
    .filter(([key, value = '']) => !isServiceLink(key, value))
    .map(([key]) => key)
    .sort()
  const layer = readTexts('environment', toEnvironmentName, (name) => env[toEnvironmentName(name)])
  return {
    found: layer.found,
    problems: [
      ...unknown.map((key) => {
        const retirement = retirementOfVariable(key)
        if (retirement !== undefined) return `${key}: ${retirement}`
        const nearest = toEnvironmentName(nearestSetting(key, toEnvironmentName))
        return `${key}: unknown variable, the nearest is ${nearest}`
      }),
      ...layer.problems,
    ],
  }
}

const readProgram = (options: ConfigOptions): Layer => {
  const { values, problems } = readOptions(options)
  const found = [...values].map(
    ([name, value]) => [name, { source: { from: 'option', where: 'option' }, value }] as const,
  )
  return { found: new Map(found), problems }
}

/** Returns whether a path is or leads through a file. Nothing is read there, and whoever needs the folder says so. */
const isNoFolder = (path: string): boolean => {
  try {
    return !statSync(path).isDirectory()
  } catch (error) {
    return errorCode(error) === 'ENOTDIR'
  }
}

const readFile = (home: string): Layer => {
  if (isNoFolder(home)) return { found: new Map(), problems: [] }
  const { values, problems } = readAppToml(appTomlPath(home))
  const toSource = (inFile: FileValue): Source => ({
    from: 'file',
    get where() {
      return inFile.where
    },
  })
  const found = [...values].map(
    ([name, inFile]) => [name, { value: inFile.value, source: toSource(inFile) }] as const,
  )
  return { found: new Map(found), problems }
}

const readDefaults = (defaults: Partial<SettingValues>): Layer => {
  const found = settingEntries.map(([name, setting]) => {
    const value: unknown = name in defaults ? defaults[name] : setting.default
    return [name, { source: { from: 'default', where: 'default' }, value }] as const
  })
  return { found: new Map(found), problems: [] }
}

/** Returns what follows from the mode of the home. The operator's own settings win, and are then checked against it. */
const readHome = (home: string, mode: KnownMode | undefined): Layer => {
  const values: Partial<SettingValues> = {
    ...(mode?.engine === undefined ? {} : { engine: mode.engine }),
    ...(mode?.dev === false ? { dev: false } : {}),
    ...(mode?.dev === false && existsSync(homeGenesisPath(home)) ? { genesis: homeGenesisPath(home) } : {}),
  }
  const source: Source = { from: 'home', where: existsSync(modePath(home)) ? modePath(home) : home }
  const found = Object.entries(values).map(
    ([name, value]) => [name as SettingName, { value, source }] as const,
  )
  return { found: new Map(found), problems: [] }
}

/** Returns the values of app.toml that are not the default: the first start writes all of them there. */
const withoutDefaults = ({ found }: Layer, names: Iterable<SettingName>): Layer => {
  const chosenHere = [...names].flatMap((name) => {
    const value = found.get(name)
    return value === undefined || isDefault(name, value.value) ? [] : [[name, value] as const]
  })
  return { found: new Map(chosenHere), problems: [] }
}

const isDefault = (name: SettingName, value: unknown): boolean => {
  // The cast is sound because both are values of the setting.
  const { kind, default: assumed } = settings[name] as Setting<unknown>
  return kind.toToml(value) === kind.toToml(assumed)
}

/** Expands `~`. A shell does so in a flag, but not in a variable, in `--home=~/x` or in our default. */
const absoluteHome = (home: string): string =>
  /^~(?=$|[/\\])/.test(home) ? join(homedir(), home.slice(1)) : resolve(home)

const chosen = (
  values: Readonly<Record<string, unknown>>,
  sources: LoadedConfig['sources'],
): LoadedConfig['given'] => {
  const given = settingEntries.filter(([name]) => {
    const { from } = sources[name]
    if (from === 'file') return !isDefault(name, values[name])
    return from !== 'default' && from !== 'home'
  })
  return new Map(given.map(([name]) => [name, sources[name].where]))
}

/**
 * Loads the configuration. Flags override the environment, which overrides app.toml, which overrides the defaults.
 * Every layer is checked, even where another one overrides it. Throws a ConfigError with all problems.
 */
export const loadConfig = ({
  options = {},
  flags = [],
  env = {},
  purpose = 'other',
  defaults = {},
  mode: foundMode,
  isTemporaryHome = false,
}: ConfigInputs): LoadedConfig => {
  const outer = [readProgram(options), readFlags(flags), readEnvironment(env)]
  const fallback = readDefaults(defaults)
  const lookUp = (layers: readonly Layer[], name: SettingName): LayerValue | undefined => {
    for (const { found } of layers) {
      const value = found.get(name)
      if (value !== undefined) return value
    }
    return undefined
  }
  const home = absoluteHome(String(lookUp([...outer, fallback], 'home')?.value))
  const file = readFile(home)
  const isKept =
    purpose === 'node' && !isTemporaryHome && lookUp([...outer, file, fallback], 'ephemeral')?.value !== true
  const mode = isKept ? (foundMode ?? bindingMode(home, readHomeMode(home))) : undefined
  const ofHome = readHome(home, mode)
  const layers = [...outer, withoutDefaults(file, ofHome.found.keys()), ofHome, file, fallback]

  // The last layer has every name.
  const entries = settingEntries.map(([name]) => [name, lookUp(layers, name) as LayerValue] as const)
  const values = Object.fromEntries(entries.map(([name, { value }]) => [name, value]))
  // The cast is sound because the defaults contain every name and each value was parsed by the kind of its setting.
  const config = toConfig({ ...values, home } as SettingValues)
  const sources = Object.fromEntries(
    entries.map(([name, { source }]) => [name, source]),
  ) as LoadedConfig['sources']

  const given = chosen(values, sources)
  const problems = [
    ...layers.flatMap((layer) => layer.problems),
    ...(isKept ? checkHomeRules({ config, mode, given }) : []),
    ...(purpose === 'node' && !isTemporaryHome ? checkEphemeral({ config, given }) : []),
    ...checkRules({ config, purpose, where: (name) => sources[name].where }),
  ]
  if (problems.length > 0) throw new ConfigError(problems)
  return { config, sources, given, mode }
}
