import type { TomlValue } from 'smol-toml'

/** A value that was read, or undefined for one that is not of the kind (undefined itself can be a value). */
export type Read<T> = { readonly value: T } | undefined

/** How one kind of setting is read and written. Integers of a TOML file arrive as bigint, so 5 and 5.0 differ. */
export interface Kind<T> {
  /** One word for the place of the value in the help text. */
  readonly label: string
  /** What a right value looks like; ends the sentence "wanted …". */
  readonly wanted: string
  /** What a right value must be beside that, for messages alone: too long for tables of all settings. */
  readonly rule?: string
  /** What a flag without a value says; absent where it needs one. */
  readonly alone?: string
  readonly fromText: (text: string) => Read<T>
  readonly fromToml: (value: TomlValue) => Read<T>
  readonly toToml: (value: T) => string
}

/** What stands in messages for the value of a secret. */
export const hidden = '(not shown)'

/** What is wrong with a value, in one line; `got` is how the user wrote it. */
export const describeMismatch = (
  got: string,
  { wanted, rule }: Pick<Kind<unknown>, 'wanted' | 'rule'>,
): string => `got ${got}, wanted ${wanted}${rule === undefined ? '' : `: ${rule}`}`

/** The type of the values that a kind reads. */
export type ValueOf<K> = K extends Kind<infer T> ? T : never

export type TextReader<T> = (text: string) => Read<T>

/** JSON's escapes are TOML's for every text that `printable` lets through. */
export const quote = (text: string): string => JSON.stringify(text)

/** Control characters and halves of surrogate pairs have no place in a path or name, nor in a TOML string. */
export const printable = /^[^\p{Cc}\p{Cs}]*$/u

export const stringOnly =
  <T>(fromText: TextReader<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' ? fromText(value) : undefined

export const integerOrString =
  <T>(fromText: TextReader<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' || typeof value === 'bigint' ? fromText(String(value)) : undefined

export const within = (value: number | undefined, min: number, max: number): Read<number> =>
  value !== undefined && value >= min && value <= max ? { value } : undefined
