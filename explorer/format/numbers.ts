import type { Hex } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'

/** The digits of 256 bits. A node that answers with millions would keep the page busy with writing them out. */
const maxDigits = 66

const withinReach = <T>(hex: T): T => {
  if (typeof hex === 'string' && hex.length > maxDigits) throw new RangeError(texts.errors.number)
  return hex
}

export const toNumber = (hex: Hex | undefined | null): number => Number(withinReach(hex) ?? 0)
export const toBig = (hex: Hex | undefined | null): bigint => BigInt(withinReach(hex) ?? 0)
export const toQuantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

/** Digits in groups of three. */
export const group = (value: number | bigint | string): string =>
  String(value).replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','))

/** An integer with its point moved, without zeros at the end: 1500000000000000000 with 18 decimals is 1.5. */
export const formatUnits = (value: bigint, decimals: number): string => {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${sign}${group(whole)}${fraction === '' ? '' : `.${fraction}`}`
}

/** A text such as 1.5 as an integer with decimals; undefined if it is not a number or has more decimals. */
export const parseUnits = (text: string, decimals: number): bigint | undefined => {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d*))?$/.exec(text.trim().replaceAll(',', '')) ?? []
  if (whole === undefined || fraction.length > decimals) return undefined
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

/** The same with at most so many digits after the point, for tables. */
export const formatUnitsShort = (value: bigint, decimals: number, places = 6): string => {
  const full = formatUnits(value, decimals)
  const [whole = '', fraction = ''] = full.split('.')
  if (fraction.length <= places) return full
  const short = fraction.slice(0, places).replace(/0+$/, '')
  if (short === '' && whole === '0') return `<0.${'0'.repeat(places - 1)}1`
  return short === '' ? whole : `${whole}.${short}`
}

/** Less than this has no digit that would be shown of it as gwei. */
const fewWei = 100_000n

export const formatGwei = (wei: bigint): string =>
  wei > 0n && wei < fewWei ? texts.units.wei(group(wei)) : texts.units.gwei(formatUnitsShort(wei, 9, 4))

export const formatPercent = (part: number, whole: number): string =>
  whole === 0 || part === 0
    ? '0 %'
    : part / whole < 0.001
      ? '<0.1 %'
      : `${((100 * part) / whole).toFixed(1)} %`

export const formatBytes = (bytes: number): string =>
  bytes < 1000
    ? texts.units.bytes(String(bytes))
    : bytes < 1e6
      ? texts.units.kilobytes((bytes / 1000).toFixed(1))
      : texts.units.megabytes((bytes / 1e6).toFixed(1))
