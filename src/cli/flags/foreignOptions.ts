import { foreignHint } from '../../config/sources/foreignFlags.ts'

/** What commands have in place of the flags of other tools, where it is not a setting. */
const ofCommands: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  testnet: {
    port: 'use --base-port PORT',
    p: 'use --base-port PORT',
    'http.port': 'use --base-port PORT',
    host: 'a network for tests listens on 127.0.0.1 alone',
    v: 'use --validators NUMBER',
    nodes: 'use --validators NUMBER',
    datadir: 'use --home FOLDER',
    'output-dir': 'use --home FOLDER',
    o: 'use --home FOLDER',
    hardfork: 'use --fork-name NAME',
    d: 'use --detach',
  },
}

/** Commands whose settings are those of a start, which other commands have not. */
const elsewhere = (command: string, hint: string): string =>
  `perihelion ${command} has none: with perihelion start, ${hint}`

/** Replaces what commander says of an unknown option by a hint, where another tool has an option of this name. */
export const rephrase = (text: string, command: string | undefined): string => {
  const [, option] = /^error: unknown option '(-[^']*)'/.exec(text) ?? []
  const name = option?.replace(/^--?/, '').replace(/=.*$/s, '')
  if (option === undefined || name === undefined || command === undefined) return text
  const own = ofCommands[command]
  const known = own !== undefined && Object.hasOwn(own, name) ? own[name] : undefined
  const shared = foreignHint(name)
  const forked = /^fork-(?:url|block)$/.test(name) ? `use --${name}` : undefined
  const hint = known ?? sharedHint(command, shared ?? forked)
  return hint === undefined ? text : `error: unknown option '${option}': ${hint}\n`
}

/** Every command with a home has it under one name; the rest is of a start. */
const sharedHint = (command: string, hint: string | undefined): string | undefined => {
  if (hint === undefined) return undefined
  return hint === 'use --home FOLDER' ? hint : elsewhere(command, hint)
}
