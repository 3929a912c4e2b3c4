/**
 * Characters that control a terminal or deceive its reader: controls (C0, DEL, C1), formatting characters (text direction,
 * zero width, tags), separators of lines and paragraphs, halves of surrogate pairs, letters that are drawn as nothing,
 * variation selectors other than those of text and emoji, and marks on top of three marks, which are drawn over the lines above.
 */
export const harmful =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|[\u180B-\u180F\uFE00-\uFE0D\u{E0100}-\u{E01EF}]|\u034F|(?<=\p{M}{3})\p{M}/gu

/** What stands for a harmful character. */
const replacement = '·'

/**
 * Returns text that others wrote in one line, with nothing in it that would control a terminal. Everything foreign that
 * people read goes through here: `src/cli/output/print.ts` does it for the output of commands.
 */
export const printable = (text: string, maxLength = Number.POSITIVE_INFINITY): string => {
  const line = text.replace(harmful, replacement)
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

/** The same for text of several lines. The later ones are indented, so that none of them passes for a line of ours. */
export const printableLines = (text: string, indent = '  '): string =>
  text
    .split('\n')
    .map((line) => printable(line))
    .join(`\n${indent}`)

/** Returns JSON with the harmful characters of its strings as escapes: it is parsed to the same value. */
export const printableJson = (json: string): string =>
  json.replace(harmful, (character) => {
    if (character === '\n') return character
    return Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join('')
  })
