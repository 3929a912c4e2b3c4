import { type SettingName, settings } from './settings.ts'

export const environmentPrefix = 'PERIHELION_'

/** Converts `json-rpc.address` to `PERIHELION_JSON_RPC_ADDRESS`. */
export const toEnvironmentName = (name: string): string =>
  environmentPrefix + name.toUpperCase().replaceAll(/[.-]/g, '_')

/** Returns the path of a setting in app.toml: section and key, or the key alone. */
export const tomlPath = (name: string): readonly string[] => name.split('.')

/** Returns the section of a setting in app.toml; empty for those above the first section. */
export const sectionOf = (name: string): string => tomlPath(name).slice(0, -1).join('.')

export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settings, name)

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
 */
export const editDistance = (a: string, b: string): number => {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1)
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

/** The maximum length that is compared, longer than any name; it keeps the search cheap for a very long text. */
const maxComparedLength = 100

/** Returns the name that is most similar to an unknown one; undefined if there are none. */
export const nearestName = (unknown: string, names: Iterable<string>): string | undefined => {
  const wanted = unknown.slice(0, maxComparedLength)
  let best: string | undefined
  let least = Infinity
  for (const name of names) {
    const distance = editDistance(wanted, name)
    if (distance < least) [best, least] = [name, distance]
  }
  return best
}

/**
 * Returns the known name that is most similar to an unknown one, both in the given spelling. A missing section counts
 * as one edit, so that `addres` finds `json-rpc.address`.
 */
export const nearestSetting = (
  unknown: string,
  spell: (name: string) => string = (name) => name,
): SettingName => {
  const wanted = unknown.slice(0, maxComparedLength).toLowerCase()
  const distance = (known: string): number => {
    const inFull = editDistance(wanted, spell(known).toLowerCase())
    return Math.min(inFull, 1 + editDistance(wanted, spell(tomlPath(known).at(-1) ?? known).toLowerCase()))
  }
  const [first, ...others] = Object.keys(settings).filter(isSettingName)
  if (first === undefined) throw new RangeError('the table of settings is empty')
  return others.reduce((best, known) => (distance(known) < distance(best) ? known : best), first)
}
