import { settingValue } from './settings/sections.ts'
import { type Config, type SettingName, settingEntries } from './settings/settings.ts'

export interface ConfigChanges {
  /** The settings that a running program takes. */
  readonly applied: readonly SettingName[]
  /** Those that it takes when it starts. */
  readonly needRestart: readonly SettingName[]
}

/** Returns the settings that differ. */
export const findConfigChanges = (before: Config, after: Config): ConfigChanges => {
  const changed = settingEntries.filter(
    ([name, { kind }]) => kind.toToml(settingValue(before, name)) !== kind.toToml(settingValue(after, name)),
  )
  const namesOf = (isReloadable: boolean): readonly SettingName[] =>
    changed.filter(([, setting]) => (setting.isReloadable === true) === isReloadable).map(([name]) => name)
  return { applied: namesOf(true), needRestart: namesOf(false) }
}
