/**
 * TypeScript without what is not code: comments, strings and the text of templates and regular expressions become
 * spaces, line breaks stay. Good for looking for names; not a parser.
 */
export const codeOf = (source: string): string => {
  let code = ''
  let at = 0
  /** For each template that is open, the braces that are open inside its current `${`. */
  const templates: number[] = []
  const blank = (end: number): void => {
    code += source.slice(at, end).replace(/[^\n]/g, ' ')
    at = end
  }
  while (at < source.length) {
    const rest = source.slice(at, at + 2)
    const char = rest[0] as string
    if (rest === '//') blank(endOf(source, '\n', at))
    else if (rest === '/*') blank(endOf(source, '*/', at + 2) + 2)
    else if (char === "'" || char === '"') blank(closing(source, at + 1, char) + 1)
    else if (char === '/' && beginsRegex(code)) blank(closingRegex(source, at + 1) + 1)
    else if (char === '`' || (char === '}' && templates.at(-1) === 0)) {
      if (char === '}') templates.pop()
      const end = templateEnd(source, at + 1)
      if (source[end] === '$') templates.push(0)
      blank(end + (source[end] === '$' ? 2 : 1))
    } else {
      const open = templates.length - 1
      if (open >= 0 && (char === '{' || char === '}'))
        templates[open] = (templates[open] as number) + (char === '{' ? 1 : -1)
      code += char
      at++
    }
  }
  return code
}

const endOf = (source: string, mark: string, from: number): number => {
  const end = source.indexOf(mark, from)
  return end < 0 ? source.length : end
}

const closing = (source: string, from: number, quote: string): number => {
  let at = from
  while (at < source.length && source[at] !== quote && source[at] !== '\n') at += source[at] === '\\' ? 2 : 1
  return at
}

const closingRegex = (source: string, from: number): number => {
  let isClass = false
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++
    else if (source[at] === '[') isClass = true
    else if (source[at] === ']') isClass = false
    else if (source[at] === '/' && !isClass) return at
  }
  return source.length
}

/** A slash after a value divides; anywhere else it begins an expression. */
const beginsRegex = (code: string): boolean =>
  !/[\w$)\]}]$/.test(code.trimEnd()) || /\b(?:return|typeof|case|in|of)$/.test(code.trimEnd())

/** The closing backtick, or the `$` of the next `${`. */
const templateEnd = (source: string, from: number): number => {
  let at = from
  while (at < source.length && source[at] !== '`' && !source.startsWith('${', at))
    at += source[at] === '\\' ? 2 : 1
  return at
}
