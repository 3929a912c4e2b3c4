import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorsOf, blocksOf, linksOf, pages, readPage, root } from './markdown.ts'

/** What is wrong with a link; undefined if it leads somewhere. */
const problemOf = (page: string, link: string): string | undefined => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(page, '..', decodeURIComponent(path))
  if (!existsSync(join(root, target))) return `${link}: there is no ${target}`
  if (anchor === undefined) return undefined
  if (statSync(join(root, target)).isDirectory() || !target.endsWith('.md')) return undefined
  return anchorsOf(readPage(target)).has(anchor) ? undefined : `${link}: ${target} has no such heading`
}

describe('links of pages lead somewhere', () => {
  test.each(pages)('%s', (page) => {
    const problems = linksOf(readPage(page)).map((link) => problemOf(page, link))
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  })

  test('the check sees links that lead nowhere', () => {
    expect(linksOf('[a](b.md#c) `[no](code.md)` [w](https://web.example)')).toEqual(['b.md#c'])
    expect(problemOf('README.md', 'docs/noSuchPage.md')).toContain('there is no')
    expect(problemOf('README.md', 'docs/settings.md#no-such-heading')).toContain('no such heading')
    expect([...anchorsOf('# A `b.c`: d\n## A `b.c`: d\n```sh\n# no heading\n```')]).toEqual([
      'a-bc-d',
      'a-bc-d-1',
    ])
  })
})

test('pages of docs can be found from the start page or the README', () => {
  const linked = new Set(
    ['README.md', 'docs/start.md'].flatMap((page) =>
      linksOf(readPage(page)).map((link) => join(page, '..', link.split('#')[0] as string)),
    ),
  )
  const lost = pages.filter(
    (page) => /^docs\/(?:tools\/)?[\w-]+\.md$/.test(page) && page !== 'docs/start.md' && !linked.has(page),
  )
  expect(lost).toEqual([])
})

test('a comment before a block is one that the tests know', () => {
  const known = ['run', 'fails', 'serve', 'output', 'file', 'on', 'start', 'refused', 'shown']
  const unknown = pages.flatMap((page) =>
    blocksOf(readPage(page)).flatMap(({ directive, line }) =>
      directive === undefined || known.includes(directive.name) ? [] : [`${page}:${line}: ${directive.name}`],
    ),
  )
  expect(unknown).toEqual([])
})
