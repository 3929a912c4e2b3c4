import type { Kind } from '../kinds/kind.ts'
import { editDistance, isSettingName, nearestName, nearestSetting } from '../settings/names.ts'
import { retirementOf } from '../settings/retired.ts'
import { type SettingName, settings } from '../settings/settings.ts'
import { foreignHint, foreignNames } from './foreignFlags.ts'

export interface ParsedFlags {
  /** The text of each given flag, not parsed yet. */
  readonly texts: ReadonlyMap<SettingName, string>
  readonly problems: readonly string[]
}

/**
 * Parses `--name value`, `--name=value` and, for booleans, `--name` alone. A value cannot begin with `--` unless it is
 * given with `=`. Continues after a problem, so that all problems are reported at once.
 */
export const parseFlags = (given: readonly string[]): ParsedFlags => {
  const args = given.map((argument) => (argument === '--json' ? '--log.format=json' : argument))
  const texts = new Map<SettingName, string>()
  const problems: string[] = []
  const rest = args.values()
  let argument = rest.next()
  let position = 0
  const advance = (): void => {
    argument = rest.next()
    position++
  }
  while (!argument.done) {
    const [, name, value] = /^--([^=]*)(?:=(.*))?$/s.exec(argument.value) ?? []
    const flag = argument.value
    advance()
    if (name === undefined || name === '') {
      const hint = /^-[a-z]$/.test(flag) ? foreignHint(flag.slice(1)) : undefined
      problems.push(
        hint === undefined
          ? `${describeArgument(flag, position)}: not a flag; flags are given as --name value`
          : `${flag}: unknown flag, ${hint}`,
      )
      if (hint !== undefined && !argument.done && !argument.value.startsWith('-')) advance()
      continue
    }
    const next = argument.done || argument.value.startsWith('--') ? undefined : argument.value
    if (value === undefined && next !== undefined) advance()
    const retirement = retirementOf(name)
    if (retirement !== undefined) {
      problems.push(`--${name}: ${retirement}`)
      continue
    }
    if (!isSettingName(name)) {
      const hint = foreignHint(name) ?? mistypedForeignHint(name)
      problems.push(`--${name}: unknown flag, ${hint ?? `the nearest is --${nearestSetting(name)}`}`)
      continue
    }
    const kind: Kind<unknown> = settings[name].kind as Kind<unknown> // only its texts are used
    const text = value ?? next ?? kind.alone
    const before = texts.get(name)
    const { separator } = kind
    if (before !== undefined && separator === undefined) problems.push(`--${name}: given more than once`)
    if (text === undefined) problems.push(`--${name}: has no value, wanted ${kind.wanted}`)
    else
      texts.set(name, before === undefined || separator === undefined ? text : `${before}${separator}${text}`)
  }
  return { texts, problems }
}

/** Returns what to use in place of another tool's flag that is nearer than every setting, such as `--prot`. */
const mistypedForeignHint = (name: string): string | undefined => {
  const nearest = nearestName(
    name,
    foreignNames.filter((known) => known.length > 2),
  )
  const distance = nearest === undefined ? Infinity : editDistance(name, nearest)
  if (nearest === undefined || distance > 1 || editDistance(name, nearestSetting(name)) <= distance)
    return undefined
  return foreignHint(nearest)
}

/** Describes an argument that is not a flag. It may be part of an unquoted secret, so it is not repeated. */
const describeArgument = (text: string, position: number): string =>
  text.startsWith('-') ? JSON.stringify(text.replace(/=.*$/s, '')) : `argument ${position}`
