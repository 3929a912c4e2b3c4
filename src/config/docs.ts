import { sectionOf, toEnvironmentName } from './settings/names.ts'
import { settingEntries } from './settings/settings.ts'

type Entry = (typeof settingEntries)[number]

/** Returns the settings by section of app.toml, in the order of the table. The first section has no name. */
export const settingsBySection = (): readonly (readonly [section: string, entries: readonly Entry[]])[] =>
  [...new Set(settingEntries.map(([name]) => sectionOf(name)))].map((section) => [
    section,
    settingEntries.filter(([name]) => sectionOf(name) === section),
  ])

const cell = (text: string): string => text.replaceAll('|', '\\|')

const row = ([name, { kind, default: value, about, notInFile, isReloadable }]: Entry): string => {
  const tomlLocation = notInFile ? ' Not in app.toml.' : ''
  const names = `\`${name}\`<br>\`${toEnvironmentName(name)}\``
  return `| ${[names, `\`${kind.toToml(value)}\``, kind.wanted, about + (isReloadable ? ' SIGHUP takes a change.' : '') + tomlLocation].map(cell).join(' | ')} |\n`
}

/** Renders docs/settings.md. */
export const renderSettingsDocs = (): string => {
  let text = `# Settings

Generated from \`src/config/settings/settings.ts\`; \`perihelion config docs\` prints this page.

Each setting has one name. \`json-rpc.address\` is the flag \`--json-rpc.address\`, the environment variable
\`PERIHELION_JSON_RPC_ADDRESS\` and the key \`address\` in section \`[json-rpc]\` of \`<home>/config/app.toml\`.
Flags win over the environment, which wins over app.toml, which wins over the default; \`perihelion config show\` prints
every value with the place it came from. A list is a TOML array, or a text with commas between its items. Units of bytes:
\`KB\`, \`MB\` and \`GB\` are powers of 1000, \`KiB\`, \`MiB\` and \`GiB\` of 1024. Units of time: \`ms\`, \`s\`, \`m\`, \`h\`.
`
  for (const [section, entries] of settingsBySection()) {
    text += `\n## ${section === '' ? 'Above the first section' : `[${section}]`}\n\n`
    text += `| setting | default | value | meaning |\n|---|---|---|---|\n${entries.map(row).join('')}`
  }
  return text
}
