import { lstatSync, readFileSync, statSync } from 'node:fs'
import type { TomlTable, TomlValue } from 'smol-toml'
import { errorCode } from '../../base/files/writeAll.ts'
import {
  isTomlTable,
  lineOf,
  parseToml,
  scanToml,
  type TomlScan,
  TomlSyntaxError,
} from '../../base/toml/tomlScan.ts'
import { describeMismatch } from '../kinds/kind.ts'
import { isSettingName, nearestSetting, sectionOf, toEnvironmentName, tomlPath } from '../settings/names.ts'
import { isRetiredDefault, retirementOf } from '../settings/retired.ts'
import { type Setting, showMismatch } from '../settings/setting.ts'
import { type SettingName, settings } from '../settings/settings.ts'

export interface FileValue {
  readonly value: unknown
  /** The position as `path:line`. */
  readonly where: string
}

export interface FileValues {
  readonly values: ReadonlyMap<SettingName, FileValue>
  readonly problems: readonly string[]
}

const describe = (value: TomlValue): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value)
  if (Array.isArray(value)) return `[${value.map(describe).join(', ')}]`
  return isTomlTable(value) ? 'a table' : `the date ${String(value)}`
}

/** Settings by the names that they had: the first start writes all of them to the file. */
const renamed: ReadonlyMap<string, SettingName> = new Map([
  ['gateway.min-height-wait', 'json-rpc.min-height-wait'],
])

/** Returns the setting at a path of the file. A quoted `"json-rpc.address"` is one key and not the setting. */
const settingAt = (path: readonly string[]): SettingName | undefined => {
  const written = path.join('.')
  const name = renamed.get(written) ?? written
  return isSettingName(name) && tomlPath(name).length === path.length ? name : undefined
}

const sections = new Set(
  Object.keys(settings)
    .map(sectionOf)
    .filter((section) => section !== ''),
)

/** Sections within each other that are looked into, more than there are; a dotted key makes one of each of its parts. */
const maxDepth = 8
/** The problems that are reported. */
const maxProblems = 100
/** The largest file, far more than all settings and their comments need. */
const maxBytes = 1_000_000

const readTable = (text: string, file: string): FileValues => {
  const values = new Map<SettingName, FileValue>()
  const problems: string[] = []
  const document = parseToml(text)
  // Worked out only if there is something to report.
  let scan: TomlScan | undefined
  const whereOf = (path: readonly string[]): string => {
    scan ??= scanToml(text)
    const line = lineOf(text, scan, path)
    return line === undefined ? file : `${file}:${line}`
  }

  const read = (name: SettingName, value: TomlValue, where: () => string): void => {
    const setting = settings[name] as Setting<unknown>
    const { kind, notInFile } = setting
    const result = kind.fromToml(value)
    if (notInFile)
      problems.push(
        `${where()}: ${name} cannot stand in this file; use --${name} or ${toEnvironmentName(name)}`,
      )
    else if (result === undefined)
      problems.push(
        `${where()}: ${name}: ${describeMismatch(showMismatch(setting, describe(value), value), kind)}`,
      )
    else
      values.set(name, {
        value: result.value,
        get where() {
          return where()
        },
      })
  }

  const walk = (table: TomlTable, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(table)) {
      if (problems.length > maxProblems) return
      const path = [...above, key]
      const where = (): string => whereOf(path)
      const name = settingAt(path)
      const dotted = path.join('.')
      const retirement = retirementOf(dotted)
      if (name !== undefined) read(name, value, where)
      else if (retirement !== undefined) {
        if (!isRetiredDefault(dotted, value)) problems.push(`${where()}: ${dotted}: ${retirement}`)
      } else if (
        isTomlTable(value) &&
        path.length < maxDepth &&
        (Object.keys(value).length > 0 || sections.has(dotted))
      )
        walk(value, path)
      else if (sections.has(dotted))
        problems.push(`${where()}: ${dotted}: got ${describe(value)}, wanted a section [${dotted}]`)
      else problems.push(`${where()}: ${dotted}: unknown key, the nearest is ${nearestSetting(dotted)}`)
    }
  }
  walk(document, [])
  return { values, problems }
}

/** Returns the settings in app.toml; none if there is no such file. */
export const readAppToml = (file: string): FileValues => {
  const failed = (problem: string): FileValues => ({ values: new Map(), problems: [problem] })
  let bytes: Uint8Array
  try {
    const stats = statSync(file)
    if (!stats.isFile()) return failed(`${file}: cannot be read: it is not a regular file`)
    if (stats.size > maxBytes) return failed(`${file}: has more than ${maxBytes} bytes`)
    bytes = readFileSync(file)
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    if (isMissing && lstatSync(file, { throwIfNoEntry: false }) !== undefined)
      return failed(`${file}: cannot be read: it is a link to nothing`)
    if (isMissing) return { values: new Map(), problems: [] }
    if (errorCode(error) === 'EACCES')
      return failed(
        `${file}: this user may not read it: run it as the owner of the home, or choose another --home`,
      )
    return failed(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    return readTable(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), file)
  } catch (error) {
    if (error instanceof TomlSyntaxError) return failed(`${file}:${error.line}: ${error.message}`)
    if (error instanceof TypeError) return failed(`${file}: is not UTF-8`)
    throw error
  }
}
