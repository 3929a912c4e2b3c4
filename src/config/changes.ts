import type { Kind } from './kinds/kind.ts'
import { settingValue } from './settings/sections.ts'
import { type Config, type SettingName, settingEntries, settings } from './settings/settings.ts'

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
  const needsRestart = ([name, { kind }]: (typeof changed)[number]): boolean =>
    isTakenByRestart(name, kind.toToml(settingValue(before, name)), kind.toToml(settingValue(after, name)))
  return {
    applied: changed.filter((entry) => !needsRestart(entry)).map(([name]) => name),
    needRestart: changed.filter(needsRestart).map(([name]) => name),
  }
}

/** Returns whether only a restart takes another value of a setting; both are as in app.toml. */
export const isTakenByRestart = (name: SettingName, before: string, after: string): boolean => {
  const { kind, default: assumed, isReloadable } = settings[name]
  // A listener stays as it was made; its certificate can be replaced.
  if (name === 'json-rpc.tls-cert') return [before, after].includes((kind as Kind<unknown>).toToml(assumed))
  return isReloadable !== true
}
