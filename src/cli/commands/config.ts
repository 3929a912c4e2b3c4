import type { Command } from 'commander'
import { ConfigError } from '../../config/configError.ts'
import { renderSettingsDocs } from '../../config/docs.ts'
import type { LoadedConfig } from '../../config/load.ts'
import { settingValue } from '../../config/settings/sections.ts'
import { showValue } from '../../config/settings/setting.ts'
import { settingEntries } from '../../config/settings/settings.ts'
import { parseFlags } from '../../config/sources/flags.ts'
import { reloadNodeConfig } from '../../service/settings/nodeConfig.ts'
import { addSettingFlags } from '../flags/flags.ts'
import { print, rendered } from '../output/print.ts'

/** Renders one line for each setting: its name, its value as in app.toml, and its source. */
const renderConfig = ({ config, sources, given }: LoadedConfig): string => {
  const rows = settingEntries.map(([name, setting]) => {
    const { from, where } = sources[name]
    const value = settingValue(config, name)
    const shown = from === 'default' ? setting.kind.toToml(value) : showValue(setting, value)
    // The first start writes all defaults to app.toml, so that most lines there are nobody's choice.
    const isWrittenDefault = from === 'file' && !given.has(name)
    return { value: `${name} = ${shown}`, from: isWrittenDefault ? `default, written in ${where}` : where }
  })
  const width = Math.max(...rows.map(({ value }) => value.length))
  return rows.map(({ value, from }) => `${value.padEnd(width)}  # ${from}\n`).join('')
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
