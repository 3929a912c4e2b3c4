import { expect, test } from 'vitest'
import { safeText } from './safeText.tsx'

test('what turns text around or cannot be seen is written out', () => {
  expect(safeText('a\u202Eb\u200Bc')).toBe('a\\u202eb\\u200bc')
  // Letters by Unicode, which are drawn as nothing.
  expect(safeText('USDC\u3164\u115F\u2800')).toBe('USDC\\u3164\\u115f\\u2800')
})

test('marks are kept where scripts have them, and not on top of one another without end', () => {
  expect(safeText('e\u0301\u0323 क्षि')).toBe('e\u0301\u0323 क्षि')
  const shown = safeText(`Z${'\u0300'.repeat(40)}`)
  expect(shown.match(/\u0300/g)).toHaveLength(3)
})

test('a name has one line, a longer text has those that were given', () => {
  expect(safeText('a\nb', 40)).toBe('a\\u000ab')
  expect(safeText('a\n\tb')).toBe('a\n\tb')
})
