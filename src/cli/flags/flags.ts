import type { Command } from 'commander'
import { settingsBySection } from '../../config/docs.ts'
import { toEnvironmentName } from '../../config/settings/names.ts'
import { wrap } from '../../config/toml/wrap.ts'
import { type CommonSettings, startSettings } from './commonSettings.ts'

/** How the usage of a command with all settings as flags reads. */
export const settingsUsage = '[settings]'

const indent = '      '
const helpWidth = 100

/** Returns the settings that people change, one line each. */
const commonHelp = (common: CommonSettings): string => {
  const rows = common.map(([name, label, about]) => ({ flag: `--${name} <${label}>`, about }))
  const width = Math.max(...rows.map(({ flag }) => flag.length))
  const lines = rows.map(({ flag, about }) => `  ${flag.padEnd(width)}  ${about}\n`)
  return `\nSettings that people change (all: --help --all, or docs/settings.md):\n${lines.join('')}`
}

/** Returns the help text of all settings as flags, by section, with defaults and descriptions. */
const settingsHelp = (): string => {
  let text = ''
  for (const [section, entries] of settingsBySection()) {
    text += `\n${section === '' ? 'Settings' : `Settings of [${section}]`}:\n`
    for (const [name, { kind, default: value, about }] of entries) {
      const label = kind.alone === undefined ? `<${kind.label}>` : `[${kind.label}]`
      const notes = `${about} (default: ${kind.toToml(value)}, environment: ${toEnvironmentName(name)})`
      text += `  --${name} ${label}\n`
      text += wrap(notes, helpWidth - indent.length)
        .map((line) => `${indent}${line}\n`)
        .join('')
    }
  }
  return text
}

/**
 * Makes a command accept every setting as a flag. commander only shows the help and passes the arguments through,
 * because it would stop at the first wrong one and let the last of two equal flags win.
 */
export const addSettingFlags = (
  command: Command,
  run: (flags: readonly string[]) => void | Promise<void>,
  common: CommonSettings = startSettings,
): Command =>
  command
    .usage(settingsUsage)
    .allowUnknownOption()
    .allowExcessArguments()
    .addHelpText('after', () => (process.argv.includes('--all') ? settingsHelp() : commonHelp(common)))
    .action((_options: unknown, self: Command) => run(self.args))
