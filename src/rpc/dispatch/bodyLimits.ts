/**
 * What a body may hold, judged by its text before it is parsed. Five megabytes of `{},` take half a second to parse and
 * twenty times their size in memory, while five megabytes of words, which somebody may need, take a few milliseconds.
 */

/** The number of objects, lists and values that a body may hold; every valid request has far fewer. */
export const maxValues = 150_000

/** How much of either end is searched for the id. */
const endLength = 1000

const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|null)/

/**
 * Returns the id of a request that is not parsed, as JSON text: from before its first list, or from after its last one;
 * `null`, as for a body that cannot be parsed, if it is in neither.
 */
export const findOuterId = (text: string): string => {
  const [before] = text.slice(0, endLength).split('[', 1) as [string]
  const after = text.slice(-endLength).split(']').at(-1) as string // a split has at least one part
  const found = (/^\s*\{/.test(before) && id.exec(before)?.[1]) || id.exec(after)?.[1] || 'null'
  return isJson(found) ? found : 'null'
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
