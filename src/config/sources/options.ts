import { parseToml } from '../../base/toml/tomlScan.ts'
import { describeMismatch } from '../kinds/kind.ts'
import { pathInOneName, settingAtPath } from '../settings/sections.ts'
import { type Setting, showMismatch } from '../settings/setting.ts'
import { type Config, type SectionName, type SettingName, settings } from '../settings/settings.ts'

/** Settings that a program passes: any part of `Config`, with its types and units. */
export type ConfigOptions = Partial<Omit<Config, SectionName>> & {
  readonly [Section in SectionName]?: Partial<Config[Section]>
}

export interface OptionValues {
  readonly values: ReadonlyMap<SettingName, unknown>
  readonly problems: readonly string[]
}

/**
 * Reads settings that are values already. Each is rendered and parsed again, so that the rules of the table apply too.
 */
export const readOptions = (options: ConfigOptions): OptionValues => {
  const values = new Map<SettingName, unknown>()
  const problems: string[] = []
  const take = (path: readonly string[], value: unknown): void => {
    if (value === undefined) return
    const name = settingAtPath(path)
    const [section, member] = (path.length === 1 && pathInOneName(path.join())) || []
    if (section !== undefined) {
      problems.push(`${path}: there is no such setting: write ${section}: { ${member} }`)
      return
    }
    if (name === undefined && path.length === 1 && typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) take([...path, key], inner)
      return
    }
    if (name === undefined) {
      problems.push(
        `${path.join('.')}: there is no such setting (docs/settings.md lists them, here in camel case)`,
      )
      return
    }
    const setting = settings[name] as Setting<unknown>
    const read = reread(name, value)
    if (read === undefined)
      problems.push(
        `${path.join('.')}: ${describeMismatch(showMismatch(setting, describe(value), value), setting.kind)}`,
      )
    else values.set(name, read.value)
  }
  for (const [key, value] of Object.entries(options)) take([key], value)
  return { values, problems }
}

const reread = (name: SettingName, value: unknown): { readonly value: unknown } | undefined => {
  // The cast is sound because the check that follows finds out whether the value is of the kind.
  const kind = settings[name].kind as (typeof settings)['home']['kind']
  try {
    const { value: parsed } = parseToml(`value = ${kind.toToml(value as string)}`)
    return parsed === undefined ? undefined : kind.fromToml(parsed)
  } catch {
    return undefined
  }
}

const describe = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value)
