import { readFileSync, realpathSync, statSync } from 'node:fs'
import type { TomlTable, TomlValue } from 'smol-toml'
import { badConfig, badFile } from '../../../base/exit.ts'
import { writeFileAtomicallySync } from '../../../base/files/atomicFile.ts'
import type { Logger } from '../../../base/logging/log.ts'
import { editToml } from '../../../base/toml/tomlEdit.ts'
import { isTomlTable, parseToml } from '../../../base/toml/tomlScan.ts'
import { isSameValue, type OwnedKey, type OwnedValues, ownedKeys, type TomlScalar } from './ownedKeys.ts'

/** The settings that the operator chose, with their sources. */
export type GivenSettings = ReadonlyMap<string, string>

/** A key whose value is replaced. */
export interface ChangedKey {
  readonly key: string
  /** What the file had; undefined if it did not have the key. */
  readonly was: unknown
  /** Whether the file had what a new one has, which need not be anybody's choice. */
  readonly wasStandard: boolean
  readonly now: TomlScalar
  /** The setting and where it stands. */
  readonly by: string
  readonly isSecret: boolean
}

/** A key of ours that no setting says and that the file has its own value for. */
export interface KeptKey {
  readonly key: string
  readonly value: unknown
  readonly setting: string
  readonly isSecret: boolean
}

export interface AppliedSettings {
  /** The text of the file with all of the changes. */
  readonly text: string
  readonly changed: readonly ChangedKey[]
  readonly kept: readonly KeptKey[]
}

/**
 * Returns the text of a config.toml with what the given settings say. A key of a setting that nobody gave stays as it is, and
 * so does everything else. Throws for a key that cannot be replaced by itself.
 */
export const applySettings = (text: string, values: OwnedValues, given: GivenSettings): AppliedSettings => {
  const document = parseToml(text)
  const changed: ChangedKey[] = []
  const kept: KeptKey[] = []
  let edited = text
  for (const owned of ownedKeys) {
    const { path, standard, value, isSuggestion } = owned
    const wanted = value(values)
    if (wanted === undefined) continue
    const was = valueAt(document, path)
    if (isSameValue(was ?? standard, wanted)) continue
    const key = path.join('.')
    const by = findGiven(owned, given)
    const isSecret = owned.isSecret === true
    if (by === undefined) {
      if (was !== undefined && !isSuggestion)
        kept.push({ key, value: was, setting: owned.settings[0], isSecret })
      continue
    }
    if (isSuggestion && was !== undefined) continue
    edited = editToml(edited, path, JSON.stringify(wanted))
    changed.push({ key, was, wasStandard: isSameValue(was ?? standard, standard), now: wanted, by, isSecret })
  }
  return { text: edited, changed, kept }
}

const findGiven = ({ settings }: OwnedKey, given: GivenSettings): string | undefined => {
  const name = settings.find((each) => given.has(each))
  return name && `${name} (${given.get(name)})`
}

const valueAt = (document: TomlTable, path: readonly string[]): unknown => {
  const value = path.reduce<TomlValue | undefined>(
    (table, name) => (isTomlTable(table) ? table[name] : undefined),
    document,
  )
  return typeof value === 'bigint' ? Number(value) : value
}

/** Writes what the given settings say to the configuration of an existing home, and tells what that changed. */
export const writeSettings = (
  path: string,
  {
    values,
    given,
    log,
  }: { readonly values: OwnedValues; readonly given: GivenSettings; readonly log: Logger },
): void => {
  // A link stays one, and its target changes.
  const target = realpathSync(path)
  const before = readText(path, target)
  const { text, changed, kept } = applyTo(path, before, values, given)
  if (text !== before) writeFileAtomicallySync(target, text, statSync(target).mode & 0o777)
  for (const { key, was, wasStandard, now, by, isSecret } of changed) {
    const replaced = was === undefined || was === '' ? '' : `, where it said ${show(was, isSecret)}`
    log[wasStandard || replaced === '' ? 'info' : 'warn'](
      `${path}: ${key} is ${show(now, isSecret)}${replaced}: ${by} says so`,
    )
  }
  if (kept.length > 0) {
    const keys = kept.map(({ key, value, isSecret }) => `${key} = ${show(value, isSecret)}`).join(', ')
    const settings = [...new Set(kept.map(({ setting }) => setting))].join(', ')
    log.info(`${path} is kept where no setting says otherwise (${settings}): ${keys}`)
  }
}

const show = (value: unknown, isSecret: boolean): string => (isSecret ? '(not shown)' : JSON.stringify(value))

const readText = (path: string, target: string): string => {
  try {
    return readFileSync(target, 'utf8')
  } catch (error) {
    throw badFile(`${path} cannot be read: ${(error as Error).message}`)
  }
}

const applyTo = (path: string, text: string, values: OwnedValues, given: GivenSettings): AppliedSettings => {
  try {
    parseToml(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n', 1)
    throw badFile(`${path} cannot be read: ${reason}`)
  }
  try {
    return applySettings(text, values, given)
  } catch (error) {
    throw badConfig(`${path} cannot be given what the settings say: ${(error as Error).message}`)
  }
}
