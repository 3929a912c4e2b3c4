import { expect, test } from 'vitest'
import { hasJson } from './answerValues.ts'

const json = (text: string): boolean => hasJson({ data: Buffer.from(text) })

test('a trace that is cut, or is not JSON, is not read', () => {
  for (const good of ['{"gas":1}', '[]', ' {} ', '"0x"', 'null']) expect(json(good), good).toBe(true)
  for (const bad of ['', '{"gas":1', 'page not found', '{]']) expect(json(bad), bad).toBe(false)
})

test('a large trace is checked by its ends', () => {
  const large = JSON.stringify({ logs: ['x'.repeat(300_000)] })
  expect(json(large)).toBe(true)
  expect(json(large.slice(0, -2))).toBe(false)
})
