import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSlugger } from '../../scripts/site/slugs.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** The pages that people read, as paths below the root. */
export const pages: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...['docs', 'examples', 'deploy', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => `${folder}/${name}`),
  ),
]

export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

/**
 * What the comment before a block says about it: `<!-- run -->` and the like, which readers of the page do not see.
 * `name` is what stands before the colon, `argument` what stands after it.
 */
export interface Directive {
  readonly name: string
  readonly argument: string
}

export interface Block {
  readonly language: string
  readonly text: string
  /** The line of the page on which its text begins, from 1. */
  readonly line: number
  readonly directive: Directive | undefined
}

const directiveOf = (line: string | undefined): Directive | undefined => {
  const [, name, argument = ''] = /^\s*<!-- (\w+)(?:: (.*?))? -->$/.exec(line ?? '') ?? []
  return name === undefined ? undefined : { name, argument }
}

/** The fenced blocks of a page, in order. */
export const blocksOf = (text: string): readonly Block[] => {
  const lines = text.split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', fence, language = ''] = /^( *)(```+)(\w*)/.exec(lines[at] ?? '') ?? []
    if (fence === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence)
    if (end < 0) throw new Error(`the block at line ${at + 1} has no end`)
    blocks.push({
      language,
      text: lines
        .slice(at + 1, end)
        .map((line) => line.slice(indent.length))
        .join('\n'),
      line: at + 2,
      directive: directiveOf(lines[at - 1]),
    })
    at = end
  }
  return blocks
}

/** The page without its blocks and without code in the text: what is left may have links. */
const prose = (text: string): string =>
  text.replace(/^( *)(```+)[\s\S]*?^\1\2$/gm, '').replace(/`[^`\n]*`/g, '')

/** Where the links of a page lead that are not addresses of the web. */
export const linksOf = (text: string): readonly string[] =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target as string)
    .filter((target) => !/^[a-z]+:/.test(target))

/** The names by which the headings of a page can be linked to, as GitHub makes them. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const headings = text.replace(/^( *)(```+)[\s\S]*?^\1\2$/gm, '').matchAll(/^#{1,6} (.*)$/gm)
  const slugOf = createSlugger()
  return new Set([...headings].map(([, heading = '']) => slugOf(heading)))
}
