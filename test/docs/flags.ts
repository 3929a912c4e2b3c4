import { settings } from '../../src/config/settings/settings.ts'

/** Flags of `perihelion gateway` that are short for settings of its section. */
const gatewayFlags = ['node', 'grpc', 'from', 'chain-id', 'cosmos-view', 'bootstrap']

/** A variable of the environment for each setting, as docs/settings.md has them. */
export const settingVariables: ReadonlySet<string> = new Set(
  Object.keys(settings).map((name) => `PERIHELION_${name.replace(/[.-]/g, '_').toUpperCase()}`),
)

/** The commands `perihelion start …` and `perihelion gateway …` in a text, each up to where it ends. */
const commandsOf = (text: string): readonly (readonly [string, string])[] =>
  [
    ...text
      .replace(/\\\n\s*/g, ' ')
      .matchAll(/(?:perihelion|main\.js"?,?) "?(start|gateway)\b((?:[^\n`#|&;]|\\`)*)/g),
  ].map(([, command = '', rest = '']) => [command, rest])

/** Flags of such commands, and of settings with a section anywhere, that do not exist. */
export const unknownFlags = (text: string): readonly string[] => {
  const known = (command: string, name: string): boolean =>
    name in settings || (command === 'gateway' && gatewayFlags.includes(name))
  const ofCommands = commandsOf(text).flatMap(([command, rest]) =>
    [...rest.matchAll(/--([a-z][\w.-]*)/g)]
      .filter(([, name = '']) => !known(command, name))
      .map(([, name]) => `${command} --${name}`),
  )
  const withSection = [
    ...text.matchAll(/--((?:json-rpc|txpool|statesync|snapshot|gateway|index|log)\.[\w-]+)/g),
  ]
    .filter(([, name = '']) => !(name in settings))
    .map(([, name]) => `--${name}`)
  return [...ofCommands, ...withSection]
}
