/** A value of a TOML file. */
type TomlValue =
  | string
  | number
  | bigint
  | boolean
  | Date
  | readonly TomlValue[]
  | { readonly [name: string]: TomlValue }

/** A parsed value, or undefined if the text is invalid (undefined itself can be a value). */
export type Read<T> = { readonly value: T } | undefined

/** The parser and renderer for one kind of setting. Integers of a TOML file are bigint, so 5 and 5.0 differ. */
export interface Kind<T> {
  /** The placeholder of the value in the help text, one word. */
  readonly label: string
  /** A description of valid values, which ends the sentence "wanted …". */
  readonly wanted: string
  /** A further rule for valid values, shown only in messages because it is too long for tables. */
  readonly rule?: string
  /** The value of a flag without a value; undefined if the flag needs one. */
  readonly alone?: string
  /** What joins the values of a flag that is given more than once; undefined if it cannot be. */
  readonly separator?: string
  readonly fromText: (text: string) => Read<T>
  readonly fromToml: (value: TomlValue) => Read<T>
  readonly toToml: (value: T) => string
  /** Says where an invalid value is wrong, without what may be a secret, in place of the value; undefined if it cannot. */
  readonly locate?: (value: unknown) => string | undefined
}

/** The text that replaces the value of a secret in messages. */
export const hidden = '(not shown)'

/** Describes a mismatch in one line; `got` is the value as the user wrote it. */
export const describeMismatch = (
  got: string,
  { wanted, rule }: Pick<Kind<unknown>, 'wanted' | 'rule'>,
): string => `got ${got}, wanted ${wanted}${rule === undefined ? '' : `: ${rule}`}`

/** The type of the values of a kind. */
export type ValueOf<K> = K extends Kind<infer T> ? T : never

export type TextParser<T> = (text: string) => Read<T>

/** Quotes a text. JSON's escapes are valid TOML for every text that `printable` allows. */
export const quote = (text: string): string => JSON.stringify(text)

/** Control characters and halves of surrogate pairs are not allowed in a path or name, nor in a TOML string. */
export const printable = /^[^\p{Cc}\p{Cs}]*$/u

export const stringOnly =
  <T>(fromText: TextParser<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' ? fromText(value) : undefined

export const integerOrString =
  <T>(fromText: TextParser<T>) =>
  (value: TomlValue): Read<T> =>
    typeof value === 'string' || typeof value === 'bigint' ? fromText(String(value)) : undefined

export const within = (value: number | undefined, min: number, max: number): Read<number> =>
  value !== undefined && value >= min && value <= max ? { value } : undefined
