import { type Kind, printable, quote, type Read, stringOnly, type TextParser } from './kind.ts'

export const boolean = (): Kind<boolean> => ({
  label: 'boolean',
  wanted: 'true or false',
  alone: 'true',
  fromText: (text) => {
    if (text === 'true' || text === '1') return { value: true }
    if (text === 'false' || text === '0') return { value: false }
    return undefined
  },
  fromToml: (value) => (typeof value === 'boolean' ? { value } : undefined),
  toToml: String,
})

/** True, false, or undefined if other settings decide. */
export const autoBoolean = (): Kind<boolean | undefined> => {
  const fromText: TextParser<boolean | undefined> = (text) =>
    text === 'auto' ? { value: undefined } : boolean().fromText(text)
  return {
    ...boolean(),
    wanted: 'true, false or auto',
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : boolean().fromToml(value)),
    toToml: (value) => (value === undefined ? quote('auto') : String(value)),
  }
}

/** True, false, or one word that means more than true. */
export const booleanOr = <const Word extends string>(word: Word): Kind<boolean | Word> => {
  const fromText: TextParser<boolean | Word> = (text) =>
    text === word ? { value: word } : boolean().fromText(text)
  return {
    ...boolean(),
    label: `boolean or "${word}"`,
    wanted: `true, false or ${word}`,
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : boolean().fromToml(value)),
    toToml: (value) => (typeof value === 'string' ? quote(value) : String(value)),
  }
}

export interface TextOptions {
  readonly wanted: string
  /** The minimum number of characters. */
  readonly min?: number
  readonly pattern?: RegExp
}

export const text = ({ wanted, min = 0, pattern = /^/ }: TextOptions): Kind<string> => {
  const fromText: TextParser<string> = (value) =>
    printable.test(value) && value.length >= min && pattern.test(value) ? { value } : undefined
  return { label: 'text', wanted, fromText, fromToml: stringOnly(fromText), toToml: quote }
}

export const choice = <const T extends string>(...choices: readonly T[]): Kind<T> => {
  const fromText: TextParser<T> = (text) => {
    const value = choices.find((known) => known === text)
    return value === undefined ? undefined : { value }
  }
  return {
    label: choices.join('|'),
    wanted: `one of ${choices.join(', ')}`,
    fromText,
    fromToml: stringOnly(fromText),
    toToml: quote,
  }
}

/** Returns a kind for which the value `none` is undefined, which means that nothing is set. */
export const unless = <T, const N extends T>(none: N, kind: Kind<T>): Kind<Exclude<T, N> | undefined> => {
  // The cast is sound because a value that is not `none` is of the rest of the type.
  const withoutNone = (read: Read<T>): Read<Exclude<T, N> | undefined> =>
    read?.value === none ? { value: undefined } : (read as Read<Exclude<T, N>>)
  return {
    ...kind,
    fromText: (text) => withoutNone(kind.fromText(text)),
    fromToml: (value) => withoutNone(kind.fromToml(value)),
    toToml: (value) => kind.toToml(value === undefined ? none : value),
  }
}

/** Returns a kind for which an empty text is undefined, which means that nothing is set. */
export const unlessEmpty = <T>(kind: Kind<T>): Kind<T | undefined> => ({
  ...kind,
  fromText: (text) => (text === '' ? { value: undefined } : kind.fromText(text)),
  fromToml: (value) => (value === '' ? { value: undefined } : kind.fromToml(value)),
  toToml: (value) => (value === undefined ? quote('') : kind.toToml(value)),
})
