import type { Random } from '../../support/random.ts'

type Path = readonly (string | number)[]

/** The places of a value where something can be changed. */
export const placesOf = (value: unknown, path: Path = []): readonly Path[] => {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) =>
          placesOf(member, [...path, Array.isArray(value) ? Number(name) : name]),
        )
      : []
  return [path, ...inside]
}

export const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, name) => (found as Record<string | number, unknown>)[name], value)

/** Changes one digit of a text, or another value a little. */
export const nudge = (value: unknown, random: Random): unknown => {
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (value === null || value === undefined) return '0x00'
  if (Array.isArray(value)) {
    if (value.length === 0) return ['0x00']
    const index = random.below(value.length)
    // Left out, twice, or in another order.
    return random.pick([
      () => value.toSpliced(index, 1),
      () => [...value, value[index]],
      () => value.toReversed(),
      () => [],
    ])()
  }
  if (typeof value === 'object') {
    const names = Object.keys(value)
    const name = names.length === 0 ? 'x' : random.pick(names)
    return Object.fromEntries(Object.entries(value).filter(([member]) => member !== name))
  }
  const text = String(value)
  const digits = [...text].flatMap((digit, index) => (index > 1 && /[0-9a-fA-F]/.test(digit) ? [index] : []))
  const index = digits.length === 0 ? -1 : random.pick(digits)
  if (index < 0) return `${text}0`
  const digit = Number.parseInt(text[index] as string, 16)
  const other = ((digit + 1 + random.below(15)) % 16).toString(16)
  const written = /[A-F]/.test(text) ? other.toUpperCase() : other
  return `${text.slice(0, index)}${written}${text.slice(index + 1)}`
}

/** Returns a value with one change somewhere in it. */
export const mutate = (value: unknown, random: Random): unknown => {
  const copy = structuredClone(value)
  const place = random.pick(placesOf(copy))
  if (place.length === 0) return nudge(copy, random)
  const parent = at(copy, place.slice(0, -1)) as Record<string | number, unknown>
  const name = place.at(-1) as string | number
  parent[name] = nudge(parent[name], random)
  return copy
}
