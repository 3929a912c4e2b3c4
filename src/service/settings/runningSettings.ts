import { createHash, randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { writeFileAtomicallySync } from '../../base/files/atomicFile.ts'
import { readTextFile } from '../../base/files/readFile.ts'
import { homeHolder } from '../../base/lock/homeLock.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { settingValue } from '../../config/settings/sections.ts'
import { showValue } from '../../config/settings/setting.ts'
import { type SettingName, settingEntries } from '../../config/settings/settings.ts'
import { runningSettingsPath } from '../../home/layout.ts'

/**
 * The file in which a process that serves says with which settings it runs, for `config show`. It has no secret: a value is
 * there as it is printed, and as a salted digest that tells whether it is another one.
 */

/** One setting of a running process. */
export interface RunningSetting {
  /** The value as it is printed. */
  readonly shown: string
  readonly from: LoadedConfig['sources'][SettingName]['from']
  readonly where: string
  readonly digest: string
}

export interface RunningSettings {
  readonly pid: number
  readonly salt: string
  readonly settings: Readonly<Record<string, RunningSetting>>
}

/** Settings as they were loaded. */
export type Loaded = Pick<LoadedConfig, 'config' | 'sources'>

/** Returns the digest of a value, as in app.toml. */
export const digestOf = (salt: string, value: string): string =>
  createHash('sha256').update(`${salt}${value}`).digest('hex')

/** Returns a setting of the loaded ones as the file has it. */
const toRunning = ({ config, sources }: Loaded, salt: string, name: SettingName): RunningSetting => {
  const setting = settingEntries.find(([each]) => each === name)?.[1]
  const value = settingValue(config, name)
  const { from, where } = sources[name]
  const text = setting?.kind.toToml(value) ?? ''
  const shown = setting === undefined || from === 'default' ? text : showValue(setting, value)
  return { shown, from, where, digest: digestOf(salt, text) }
}

/** Writes with which settings this process runs: those of its start, and what it took since but for what needs a restart. */
export const writeRunningSettings = (
  started: Loaded,
  taken: Loaded = started,
  needRestart: readonly SettingName[] = [],
): void => {
  const salt = randomBytes(16).toString('hex')
  const settings = settingEntries.map(([name]) => [
    name,
    toRunning(needRestart.includes(name) ? started : taken, salt, name),
  ])
  const file = { version: 1, pid: process.pid, salt, settings: Object.fromEntries(settings) }
  const path = runningSettingsPath(started.config.home)
  writeFileAtomicallySync(path, `${JSON.stringify(file, undefined, 2)}\n`, 0o600)
}

/** Removes the file when the process stops. */
export const removeRunningSettings = (home: string): void =>
  rmSync(runningSettingsPath(home), { force: true })

const maxBytes = 1024 * 1024

/** Reads with which settings the process runs that has the lock of a home; undefined if there is none, or it does not say. */
export const readRunningSettings = (home: string): RunningSettings | undefined => {
  try {
    const holder = homeHolder(home)
    if (holder === undefined) return undefined
    const file = JSON.parse(readTextFile(runningSettingsPath(home), maxBytes))
    return file.version === 1 && file.pid === holder.pid ? file : undefined
  } catch {
    return undefined
  }
}
