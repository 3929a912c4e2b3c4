import { stripNonCode } from '../architecture/sourceCode.ts'

/** A phrase that was found, and the line (from 1) on which it begins. */
export interface Hit {
  readonly line: number
  readonly phrase: string
}

/** Stands for each character of code. It ends a clause, and no rule reaches over the end of one. */
const wall = ';'

const fill = (text: string, character: string): string => text.replace(/[^\n]/g, character)

/**
 * Returns the comments and strings of a program, each character at its place in the source. Code becomes walls. What marks a
 * comment or joins two strings becomes spaces, so that a phrase is found across lines. A string without a space is a name.
 */
export const proseOfSource = (source: string): string => {
  let text = ''
  for (const { 0: code, index } of stripNonCode(source).matchAll(/\S+/g))
    text += source.slice(text.length, index) + wall.repeat(code.length)
  return (text + source.slice(text.length))
    .replace(/^[^\S\n]*(?:\/\*\*?|\*(?!\/)|\/\/)/gm, (mark) => fill(mark, ' '))
    .replace(/(['"`])\s*;\s*\1/g, (between, _quote, at: number) =>
      source.slice(at, at + between.length).includes('+') ? fill(between, ' ') : between,
    )
    .replace(/(['"`])[^'"`\s]*\1/g, (name) => fill(name, wall))
}

/** Returns a page without its blocks, without what stands in backquotes, and without single words in quotes. */
export const proseOfPage = (page: string): string =>
  page
    .replace(/^( *)(```+)[\s\S]*?^\1\2$/gm, (block) => fill(block, wall))
    .replace(/`[^`\n]*`|"[^"\s]*"/g, (code) => fill(code, wall))
    .replace(/^[^\S\n]*>/gm, (mark) => fill(mark, ' '))

/** A line of its own before a text that clients match, `// not ours: whose it is`. Such a text keeps its words. */
const notOurs = /^\s*(?:<!-- )?not ours: \S/

/** Finds every place of a pattern. A space of the pattern stands for any space, line breaks too. */
export const findPhrases = (prose: string, pattern: RegExp): readonly Hit[] => {
  const hits: Hit[] = []
  for (const match of prose.matchAll(new RegExp(pattern.source.replaceAll(' ', '\\s+'), 'gi'))) {
    const { 0: phrase, index } = match
    const before = prose.slice(0, index).split('\n')
    if (notOurs.test(before.at(-2) ?? '')) continue
    hits.push({ line: before.length, phrase: phrase.replace(/\s+/g, ' ') })
  }
  return hits
}
