import { expect, test } from 'vitest'
import { readPage } from './markdown.ts'

/** The form of the changelog, which `scripts/release/bump.ts` reads. */

const releaseForm = /^\[\d+\.\d+\.\d+\](?: - (?:unreleased|\d{4}-\d\d-\d\d))?$/

const headingsOf = (text: string, level: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${level} (.*)$`, 'gm'))].map(([, heading]) => heading as string)

test('the changelog has one section for each release, and only the first may be ahead', () => {
  const releases = headingsOf(readPage('CHANGELOG.md'), '##')
  expect(releases.filter((heading) => !releaseForm.test(heading))).toEqual([])
  expect(releases.slice(1).filter((heading) => heading.endsWith('unreleased'))).toEqual([])
})

test('the newest release speaks to each kind of user, and of what breaks first', () => {
  const [, newest = ''] = readPage('CHANGELOG.md').split(/^## /m)
  expect(headingsOf(newest, '###')).toEqual([
    'What breaks, and how to move',
    'Dapp developers',
    'Operators',
    'Indexers',
    'Embedders',
  ])
})
