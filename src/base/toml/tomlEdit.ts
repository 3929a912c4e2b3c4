import { isDeepStrictEqual } from 'node:util'
import type { TomlTable, TomlValue } from 'smol-toml'
import { isTomlTable, parseToml, scanToml, type TomlScan } from './tomlScan.ts'

const isPath = (a: readonly string[], b: readonly string[]): boolean => a.join('\0') === b.join('\0')

const valueAt = (document: TomlTable, path: readonly string[]): TomlValue | undefined =>
  path.reduce<TomlValue | undefined>(
    (value, name) => (isTomlTable(value) ? value[name] : undefined),
    document,
  )

/** Returns the document that must result from the change. */
const withValue = (text: string, path: readonly string[], value: TomlValue): TomlTable => {
  const document = parseToml(text)
  let table = document
  for (const name of path.slice(0, -1)) {
    // The empty section comes from the parser, because a literal would have another prototype.
    const section = table[name] ?? parseToml('')
    if (!isTomlTable(section)) throw new Error(`${name} is not a section`)
    table[name] = section
    table = section
  }
  table[path.at(-1) ?? ''] = value
  return document
}

/** Inserts a line below the text from `start` to `end`, with its indentation. */
const insertBelow = (text: string, start: number, end: number, line: string, newline: string): string => {
  const lineStart = text.lastIndexOf('\n', start) + 1
  const indent = /^[ \t]*/.exec(text.slice(lineStart))?.[0] ?? ''
  const lineEnd = text.indexOf('\n', end)
  if (lineEnd < 0) return `${text}${newline}${indent}${line}${newline}`
  return `${text.slice(0, lineEnd + 1)}${indent}${line}${newline}${text.slice(lineEnd + 1)}`
}

const insertAssignment = (
  text: string,
  scan: TomlScan,
  path: readonly string[],
  tomlText: string,
): string => {
  const newline = /\r?\n/.exec(text)?.[0] ?? '\n'
  const table = path.slice(0, -1)
  const lineBelow = (above: readonly string[]): string =>
    `${path.slice(above.length).join('.')} = ${tomlText}`
  const neighbour = scan.assignments.findLast((one) => isPath(one.path.slice(0, -1), table))
  if (neighbour !== undefined)
    return insertBelow(text, neighbour.keyStart, neighbour.valueEnd, lineBelow(neighbour.table), newline)
  const header = scan.headers.find((one) => isPath(one.path, table))
  if (header !== undefined) return insertBelow(text, header.start, header.end, lineBelow(table), newline)
  if (table.length === 0) {
    const start = text.startsWith('\uFEFF') ? 1 : 0
    return `${text.slice(0, start)}${lineBelow([])}${newline}${text.slice(start)}`
  }
  const gap = text === '' || text.endsWith('\n') ? '' : newline
  return `${text}${gap}${newline}[${table.join('.')}]${newline}${lineBelow(table)}${newline}`
}

/**
 * Sets the value at `path` and changes nothing else: no comment, blank or line ending. A missing key gets a new line
 * below its neighbours. This is not a library, because those that were tried rewrite the indentation of other lines.
 * The result is parsed, and an edit that would mean anything but this one change throws.
 */
export const editToml = (text: string, path: readonly string[], tomlText: string): string => {
  const newValue = parseToml(`value = ${tomlText}`).value
  if (newValue === undefined) throw new Error(`${tomlText} is not a value`)
  const expected = withValue(text, path, newValue)
  const scan = scanToml(text)
  const present = scan.assignments.find((one) => isPath(one.path, path))
  if (present === undefined && valueAt(parseToml(text), path) !== undefined)
    throw new Error(`${path.join('.')} stands inside an inline table, where it must be changed by hand`)
  const after = present
    ? text.slice(0, present.valueStart) + tomlText + text.slice(present.valueEnd)
    : insertAssignment(text, scan, path, tomlText)
  if (!isDeepStrictEqual(parseToml(after), expected))
    throw new Error(`${path.join('.')} cannot be set to ${tomlText} without changing something else`)
  return after
}
