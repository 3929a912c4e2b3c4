import { maxUint256 } from '../../base/encoding/bytes.ts'
import { integerOrString, type Kind, quote, type Read, stringOnly, type TextParser, within } from './kind.ts'
import { formatWithUnit, parseWithUnit } from './units.ts'

export const integer = ({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}): Kind<number> => {
  const fromText: TextParser<number> = (text) =>
    /^-?\d{1,16}$/.test(text) ? within(Number(text), min, max) : undefined
  return {
    label: 'integer',
    wanted:
      max === Number.MAX_SAFE_INTEGER
        ? `a whole number, at least ${min}`
        : `a whole number, ${min} to ${max}`,
    fromText,
    fromToml: (value) => (typeof value === 'bigint' ? fromText(value.toString()) : undefined),
    toToml: String,
  }
}

/** A whole number, or undefined if the program decides. */
export const autoInteger = (bounds: {
  readonly min?: number
  readonly max?: number
}): Kind<number | undefined> => {
  const given = integer(bounds)
  const fromText: TextParser<number | undefined> = (text) =>
    text === 'auto' ? { value: undefined } : given.fromText(text)
  return {
    ...given,
    wanted: `${given.wanted}, or auto`,
    fromText,
    fromToml: (value) => (typeof value === 'string' ? fromText(value) : given.fromToml(value)),
    toToml: (value) => (value === undefined ? quote('auto') : String(value)),
  }
}

/** A whole number as a bigint, for gas, chain ids and percentages of fees. */
export const bigInteger = (bounds: { readonly min?: number; readonly max?: number } = {}): Kind<bigint> => {
  const small = integer(bounds)
  const widen = (read: Read<number>): Read<bigint> =>
    read === undefined ? undefined : { value: BigInt(read.value) }
  return {
    ...small,
    fromText: (text) => widen(small.fromText(text)),
    fromToml: (value) => widen(small.fromToml(value)),
    toToml: String,
  }
}

const sizeUnits = {
  GiB: 2 ** 30,
  GB: 1e9,
  MiB: 2 ** 20,
  MB: 1e6,
  KiB: 2 ** 10,
  KB: 1e3,
  B: 1,
} as const

/** A size in bytes. */
export const byteSize = ({ min = 1 } = {}): Kind<number> => {
  const fromText: TextParser<number> = (text) =>
    within(parseWithUnit(/^\d+$/.test(text) ? `${text}B` : text, sizeUnits), min, Number.MAX_SAFE_INTEGER)
  return {
    label: 'size',
    wanted: `bytes such as 5MB, 64MiB or 5000000, at least ${min}`,
    fromText,
    fromToml: integerOrString(fromText),
    toToml: (value) => quote(formatWithUnit(value, sizeUnits)),
  }
}

const timeUnits = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const

/** The longest timer of Node; a longer one fires at once. */
const longestTimer = 2 ** 31 - 1

/** A duration in milliseconds. */
export const duration = ({ min = 1 } = {}): Kind<number> => {
  const fromText: TextParser<number> = (text) => within(parseWithUnit(text, timeUnits), min, longestTimer)
  return {
    label: 'duration',
    wanted: `a time with its unit such as 30s, 5m, 1.5s or 200ms, at least ${min}ms and at most 24 days`,
    fromText,
    fromToml: stringOnly(fromText),
    toToml: (value) => quote(formatWithUnit(value, timeUnits)),
  }
}

/** A gas price in wei. */
export const gasPrice = (): Kind<bigint> => {
  const fromText: TextParser<bigint> = (text) => {
    const [, digits] = /^(\d{1,78})(?:wei)?$/.exec(text) ?? []
    if (digits === undefined) return undefined
    const value = BigInt(digits)
    return value <= maxUint256 ? { value } : undefined
  }
  return {
    label: 'wei',
    wanted: 'a decimal number of wei such as 1000000000wei, below 2^256',
    fromText,
    fromToml: integerOrString(fromText),
    toToml: (value) => quote(`${value}wei`),
  }
}

const coinDigits = 18

/** An amount in wei, written as whole coins with up to 18 decimals. */
export const coins = (): Kind<bigint> => {
  const fromText: TextParser<bigint> = (text) => {
    const [, whole, part = ''] = /^(\d{1,59})(?:\.(\d{1,18}))?$/.exec(text) ?? []
    return whole === undefined ? undefined : { value: BigInt(whole + part.padEnd(coinDigits, '0')) }
  }
  return {
    label: 'coins',
    wanted: 'a decimal number of coins such as 1 or 0.5',
    fromText,
    fromToml: (value) =>
      typeof value === 'number' ? fromText(String(value)) : integerOrString(fromText)(value),
    toToml: (value) => {
      const digits = value.toString().padStart(coinDigits + 1, '0')
      return quote(`${digits.slice(0, -coinDigits)}.${digits.slice(-coinDigits)}`.replace(/\.?0+$/, ''))
    },
  }
}
