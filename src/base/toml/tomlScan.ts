import { parse, TomlDate, TomlError, type TomlTable, type TomlValue } from 'smol-toml'

/** One `key = value` of a document. Offsets count UTF-16 units of the text. */
interface Assignment {
  /** The names of the table that contains the assignment; empty above the first header. */
  readonly table: readonly string[]
  /** The names of the table followed by the key. */
  readonly path: readonly string[]
  readonly keyStart: number
  readonly valueStart: number
  readonly valueEnd: number
}

interface Header {
  readonly path: readonly string[]
  readonly start: number
  readonly end: number
}

export interface TomlScan {
  readonly assignments: readonly Assignment[]
  readonly headers: readonly Header[]
}

/** A syntax error in TOML, with its position. */
export class TomlSyntaxError extends Error {
  override readonly name = 'TomlSyntaxError'
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const byteOrderMark = '\uFEFF'

/** Parses a document; its integers are bigint. */
export const parseToml = (text: string): TomlTable => {
  try {
    const body = text.startsWith(byteOrderMark) ? text.slice(1) : text
    return parse(body, { integersAsBigInt: true, maxDepth: 64 })
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    // The first line is the message, the others draw the position.
    const [reason = error.message] = error.message.split('\n')
    throw new TomlSyntaxError(error.line, `${reason} (column ${error.column})`)
  }
}

export const isTomlTable = (value: TomlValue | undefined): value is TomlTable =>
  typeof value === 'object' && !Array.isArray(value) && !(value instanceof TomlDate)

/** Multi-line strings come first, because their quotes begin like empty plain strings. */
const string =
  /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y

const endOfMatch = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** Returns the position of the first of `stops` that is outside of quotes. */
const findUnquoted = (text: string, from: number, stops: string): number => {
  let at = from
  while (at < text.length && !stops.includes(text.charAt(at))) at = endOfMatch(string, text, at) ?? at + 1
  return at
}

/** A key without quotes and dots, which most are. */
const bareKey = /^[\w-]+$/

/** Returns the names of a key. The parser reads its quotes and dots: each table that it creates has one entry. */
const readKey = (raw: string): readonly string[] => {
  const bare = raw.trim()
  if (bareKey.test(bare)) return [bare]
  const path: string[] = []
  let value: TomlValue | undefined = parse(`${bare} = 0`)
  while (isTomlTable(value)) {
    const name: string = Object.keys(value)[0] ?? ''
    path.push(name)
    value = value[name]
  }
  return path
}

/**
 * Returns the end of a value. Arrays and inline tables end at their last bracket, everything else at the end of its
 * line or a comment.
 */
const endOfValue = (text: string, start: number): number => {
  let depth = 0
  let at = start
  while (at < text.length) {
    const char = text.charAt(at)
    if (depth === 0 && (char === '\n' || char === '#')) break
    if (char === '[' || char === '{') depth++
    if (char === ']' || char === '}') depth--
    if (char === '#') at = endOfLine(text, at)
    else at = endOfMatch(string, text, at) ?? at + 1
  }
  return start + text.slice(start, at).trimEnd().length
}

/** Returns the positions of all parts of a document that `parseToml` accepts. */
export const scanToml = (text: string): TomlScan => {
  const assignments: Assignment[] = []
  const headers: Header[] = []
  let table: readonly string[] = []
  let at = text.startsWith(byteOrderMark) ? 1 : 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (/\s/.test(char)) at++
    else if (char === '#') at = endOfLine(text, at)
    else if (char === '[') {
      const start = at
      const name = text.startsWith('[[', at) ? at + 2 : at + 1
      const close = findUnquoted(text, name, ']')
      table = readKey(text.slice(name, close))
      at = close + (name - start)
      headers.push({ path: table, start, end: at })
    } else {
      const equals = findUnquoted(text, at, '=')
      const valueStart = equals + 1 + (/^[ \t]*/.exec(text.slice(equals + 1))?.[0].length ?? 0)
      const valueEnd = endOfValue(text, valueStart)
      assignments.push({
        table,
        path: [...table, ...readKey(text.slice(at, equals))],
        keyStart: at,
        valueStart,
        valueEnd,
      })
      at = valueEnd
    }
  }
  return { assignments, headers }
}

const startsWith = (path: readonly string[], head: readonly string[]): boolean =>
  head.every((name, index) => path[index] === name)

/**
 * Returns the line of a value. For a value inside another, or a whole section, it is the line of the containing value
 * or the header.
 */
export const lineOf = (text: string, scan: TomlScan, path: readonly string[]): number | undefined => {
  const offset =
    scan.assignments.find((one) => startsWith(path, one.path))?.keyStart ??
    scan.headers.find((one) => startsWith(one.path, path))?.start ??
    scan.assignments.find((one) => startsWith(one.path, path))?.keyStart
  return offset === undefined ? undefined : text.slice(0, offset).split('\n').length
}
