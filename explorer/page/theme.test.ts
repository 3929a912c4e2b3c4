import { afterEach, expect, test, vi } from 'vitest'
import { setTheme, startTheme, theme } from './theme.ts'

afterEach(() => vi.unstubAllGlobals())

const withStore = (store: object) => {
  const dataset: Record<string, string> = {}
  vi.stubGlobal('document', { documentElement: { dataset } })
  vi.stubGlobal('localStorage', store)
  return dataset
}

test('the theme is kept', () => {
  const kept = new Map<string, string>()
  const dataset = withStore({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
    removeItem: (key: string) => kept.delete(key),
  })
  setTheme('dark')
  theme.set('auto')
  startTheme()
  expect([theme.get(), dataset.theme]).toEqual(['dark', 'dark'])
  setTheme('auto')
  expect(kept.size).toBe(0)
})

test('a page whose store is closed has a theme all the same', () => {
  const closed = () => {
    throw new DOMException('denied', 'SecurityError')
  }
  const dataset = withStore({ getItem: closed, setItem: closed, removeItem: closed })
  startTheme()
  expect(dataset.theme).toBe('auto')
  setTheme('light')
  expect(theme.get()).toBe('light')
})
