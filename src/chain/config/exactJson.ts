import { endOfString } from '../../base/json/jsonScanner.ts'

/** A JSON text, parsed, and the first member that one of its objects has twice. */
export interface ExactJson {
  readonly value: unknown
  /** The path of the member, such as `config.chainId`; undefined if there is none. */
  readonly repeated: string | undefined
}

/** The digits from which on an integer is kept as text: a number may not hold it. */
const exactDigits = 16

const longInteger = new RegExp(`-?\\d{${exactDigits},}(?![\\d.eE])`, 'g')

/** An object that is being read. */
interface OpenObject {
  readonly names: Set<string>
  /** The member whose value is read; undefined where a name is next. */
  name: string | undefined
}

/**
 * Parses JSON with long integers as strings, because a total difficulty has more digits than a number keeps. The text is
 * read piece by piece between the strings, which may be of any length.
 */
export const parseExactJson = (text: string): ExactJson => {
  const pieces: string[] = []
  const open: (OpenObject | undefined)[] = []
  let repeated: string | undefined
  /** Follows the structure of a piece outside of strings. */
  const follow = (piece: string): void => {
    for (const letter of piece.match(/[{}[\],]/g) ?? []) {
      const inner = open.at(-1)
      if (letter === '{') open.push({ names: new Set(), name: undefined })
      else if (letter === '[') open.push(undefined)
      else if (letter === ',') {
        if (inner !== undefined) inner.name = undefined
      } else open.pop()
    }
  }
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('"', at)
    const piece = text.slice(at, start < 0 ? text.length : start)
    follow(piece)
    pieces.push(piece.replace(longInteger, '"$&"'))
    if (start < 0) break
    const end = endOfString(text, start)
    const string = text.slice(start, end)
    pieces.push(string)
    const inner = open.at(-1)
    if (inner !== undefined && inner.name === undefined) {
      inner.name = toName(string)
      if (inner.names.has(inner.name))
        repeated ??= open.flatMap((one) => (one?.name === undefined ? [] : [one.name])).join('.')
      inner.names.add(inner.name)
    }
    at = end
  }
  return { value: JSON.parse(pieces.join('')), repeated }
}

/** Returns the name that a string of JSON stands for; what is not JSON is found when all is parsed. */
const toName = (string: string): string => {
  if (!string.includes('\\')) return string.slice(1, -1)
  try {
    return String(JSON.parse(string))
  } catch {
    return string
  }
}
