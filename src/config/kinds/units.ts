/** Names of units with their size, the largest first. */
type Units = Readonly<Record<string, number>>

/**
 * `1.5s` as a whole number of the base unit; undefined where the form or the unit is wrong or a fraction remains.
 * Counted in integers: 1.1 * 1000 is not 1100 in floating point.
 */
export const scaled = (text: string, units: Units): number | undefined => {
  const [, whole = '', fraction = '', name = ''] =
    /^(\d{1,16})(?:\.(\d{1,9}))? ?([A-Za-z]+)$/.exec(text) ?? []
  const unit = Object.keys(units).find((known) => known.toLowerCase() === name.toLowerCase())
  if (unit === undefined) return undefined
  const count = BigInt(whole + fraction) * BigInt(units[unit] ?? 0)
  const parts = 10n ** BigInt(fraction.length)
  const value = Number(count / parts)
  return count % parts === 0n && Number.isSafeInteger(value) ? value : undefined
}

/** The shortest exact form: the largest unit that divides the value. */
export const withUnit = (value: number, units: Units): string => {
  const names = Object.keys(units)
  const name = value === 0 ? names.at(-1) : names.find((unit) => value % (units[unit] ?? 1) === 0)
  return `${value / (units[name ?? ''] ?? 1)}${name}`
}
