import type { Command } from 'commander'
import { isTakenByRestart } from '../../config/changes.ts'
import { ConfigError } from '../../config/configError.ts'
import { renderSettingsDocs } from '../../config/docs.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { settingValue } from '../../config/settings/sections.ts'
import { showValue } from '../../config/settings/setting.ts'
import { type SettingName, settingEntries } from '../../config/settings/settings.ts'
import { parseFlags } from '../../config/sources/flags.ts'
import { reloadNodeConfig } from '../../service/settings/nodeConfig.ts'
import {
  digestOf,
  type RunningSetting,
  type RunningSettings,
  readRunningSettings,
} from '../../service/settings/runningSettings.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { print, rendered } from '../output/print.ts'

/** Renders one line for each setting: its name, its value as in app.toml, its source, and what runs if that is another one. */
const renderConfig = ({ config, sources, given }: LoadedConfig): string => {
  const running = readRunningSettings(config.home)
  const rows = settingEntries.map(([name, setting]) => {
    const { from, where } = sources[name]
    const value = settingValue(config, name)
    const shown = from === 'default' ? setting.kind.toToml(value) : showValue(setting, value)
    // The first start writes all defaults to app.toml, so that most lines there are nobody's choice.
    const isWrittenDefault = from === 'file' && !given.has(name)
    const source = isWrittenDefault ? `default, written in ${where}` : where
    const wanted = { name, value: setting.kind.toToml(value), from }
    return { value: `${name} = ${shown}`, from: `${source}${describeRunning(running, wanted)}` }
  })
  const width = Math.max(...rows.map(({ value }) => value.length))
  return rows.map(({ value, from }) => `${value.padEnd(width)}  # ${from}\n`).join('')
}

interface WantedSetting {
  readonly name: SettingName
  readonly value: string
  readonly from: RunningSetting['from']
}

/** Returns what the process of the home runs with, if that is another value, and when it takes this one. */
const describeRunning = (
  running: RunningSettings | undefined,
  { name, value, from }: WantedSetting,
): string => {
  const setting = running?.settings[name]
  if (running === undefined || setting === undefined || setting.digest === digestOf(running.salt, value))
    return ''
  // A flag or a variable of the process stays over what is in the file.
  const isOverridden = [setting.from, from].some((each) => each === 'flag' || each === 'environment')
  const needsRestart = isTakenByRestart(name, setting.shown, value)
  const until = isOverridden ? '' : ` until ${needsRestart ? 'a restart' : 'SIGHUP'}`
  return `; process ${running.pid} runs with ${setting.shown} (${setting.where})${until}`
}

/** Defines `perihelion config show|docs`. */
export const define = (config: Command): void => {
  addSettingFlags(
    config.command('show').description('Print every effective setting and where its value came from'),
    async (flags) => {
      print`${rendered(renderConfig(await reloadNodeConfig({ flags, env: process.env })))}`
    },
  )
  addSettingFlags(config.command('docs').description('Print all settings as a Markdown page'), (flags) => {
    // The file is not read, so that the page can be rendered even if app.toml is broken.
    const { problems } = parseFlags(flags)
    if (problems.length > 0) throw new ConfigError(problems)
    print`${rendered(renderSettingsDocs())}`
  })
}
