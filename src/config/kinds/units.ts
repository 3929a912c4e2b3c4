/** The names of units with their sizes, the largest first. */
type Units = Readonly<Record<string, number>>

/**
 * Parses a text like `1.5s` to a whole number of the base unit; undefined if the form or the unit is wrong or a
 * fraction remains. It is computed in integers, because 1.1 * 1000 is not 1100 in floating point.
 */
export const parseWithUnit = (text: string, units: Units): number | undefined => {
  const [, whole = '', fraction = '', name = ''] =
    /^(\d{1,16})(?:\.(\d{1,9}))? ?([A-Za-z]+)$/.exec(text) ?? []
  const unit = Object.keys(units).find((known) => known.toLowerCase() === name.toLowerCase())
  if (unit === undefined) return undefined
  const count = BigInt(whole + fraction) * BigInt(units[unit] ?? 0)
  const scale = 10n ** BigInt(fraction.length)
  const value = Number(count / scale)
  return count % scale === 0n && Number.isSafeInteger(value) ? value : undefined
}

/** Returns the shortest exact form, in the largest unit that divides the value. */
export const formatWithUnit = (value: number, units: Units): string => {
  const names = Object.keys(units)
  const name = value === 0 ? names.at(-1) : names.find((unit) => value % (units[unit] ?? 1) === 0)
  return `${value / (units[name ?? ''] ?? 1)}${name}`
}
