import { sectionOf, tomlPath } from './names.ts'
import { type Config, type SettingName, type SettingValues, settingEntries } from './settings.ts'

/** Converts `json-rpc` to `jsonRpc`. */
const camelCase = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_, first: string) => first.toUpperCase())

/** Returns the path of a setting in `Config`: section and member, or the member alone. */
const configPath = (name: SettingName): readonly string[] => tomlPath(name).map(camelCase)

/** Groups the values by section and freezes the result. */
export const toConfig = (values: SettingValues): Config => {
  const config: Record<string, unknown> = {}
  for (const section of new Set(settingEntries.map(([name]) => sectionOf(name)))) {
    const members = settingEntries
      .filter(([name]) => sectionOf(name) === section)
      .map(([name]) => [configPath(name).at(-1), values[name]] as const)
    if (section === '') Object.assign(config, Object.fromEntries(members))
    else config[camelCase(section)] = Object.freeze(Object.fromEntries(members))
  }
  // The cast is sound because each member has the path and the value of its setting.
  return Object.freeze(config) as Config
}

/** Returns the value of a setting by its name, for code that treats all settings alike. */
export const settingValue = (config: Config, name: SettingName): unknown =>
  configPath(name).reduce<unknown>((at, member) => (at as Readonly<Record<string, unknown>>)[member], config)

/** Returns the path whose members, written as one name in camel case, are an unknown name: `jsonRpcAddress`. */
export const pathInOneName = (name: string): readonly string[] | undefined =>
  settingEntries
    .map(([setting]) => configPath(setting))
    .find((path) => path.length > 1 && camelCase(path.join('-')) === name)

const namesByPath = new Map(settingEntries.map(([name]) => [configPath(name).join('.'), name]))

/** Returns the setting at a path of `Config`: `['jsonRpc', 'gasCap']` is `json-rpc.gas-cap`. */
export const settingAtPath = (path: readonly string[]): SettingName | undefined =>
  namesByPath.get(path.join('.'))
