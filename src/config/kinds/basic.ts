import { type Kind, printable, quote, type Read, stringOnly, type TextReader } from './kind.ts'

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

/** True, false, or left to what else is set. */
export const autoBoolean = (): Kind<boolean | undefined> => {
  const fromText: TextReader<boolean | undefined> = (text) =>
    text === 'auto' ? { value: undefined } : boolean().fromText(text)
  return {
    ...boolean(),
    wanted: 'true, false or auto',
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : boolean().fromToml(value)),
    toToml: (value) => (value === undefined ? quote('auto') : String(value)),
  }
}

export interface TextOptions {
  readonly wanted: string
  /** The fewest characters. */
  readonly min?: number
  readonly pattern?: RegExp
}

export const text = ({ wanted, min = 0, pattern = /^/ }: TextOptions): Kind<string> => {
  const fromText: TextReader<string> = (value) =>
    printable.test(value) && value.length >= min && pattern.test(value) ? { value } : undefined
  return { label: 'text', wanted, fromText, fromToml: stringOnly(fromText), toToml: quote }
}

export const choice = <const T extends string>(...choices: readonly T[]): Kind<T> => {
  const fromText: TextReader<T> = (text) => {
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

/** Reads as the kind does, but `none` is undefined: nothing is set. */
export const unless = <T, const N extends T>(none: N, kind: Kind<T>): Kind<Exclude<T, N> | undefined> => {
  // The cast: a value that is not `none` is of the rest of the type.
  const withoutNone = (read: Read<T>): Read<Exclude<T, N> | undefined> =>
    read?.value === none ? { value: undefined } : (read as Read<Exclude<T, N>>)
  return {
    ...kind,
    fromText: (text) => withoutNone(kind.fromText(text)),
    fromToml: (value) => withoutNone(kind.fromToml(value)),
    toToml: (value) => kind.toToml(value === undefined ? none : value),
  }
}

/** Reads as the kind does, but an empty text is undefined: nothing is set. */
export const unlessEmpty = <T>(kind: Kind<T>): Kind<T | undefined> => ({
  ...kind,
  fromText: (text) => (text === '' ? { value: undefined } : kind.fromText(text)),
  fromToml: (value) => (value === '' ? { value: undefined } : kind.fromToml(value)),
  toToml: (value) => (value === undefined ? quote('') : kind.toToml(value)),
})
