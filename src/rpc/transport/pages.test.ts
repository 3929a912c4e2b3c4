import { describe, expect, test } from 'vitest'
import { type PageContent, sharedPage } from './pages.ts'

const content = (body: string): PageContent => ({ status: 200, type: 'text/plain', body })

describe('a page that takes a while to render', () => {
  test('is rendered once for all who wait, and never before they asked', async () => {
    let rendered = 0
    const begun: (() => void)[] = []
    const page = sharedPage(
      () =>
        new Promise((resolve) => {
          const number = ++rendered
          begun.push(() => resolve(content(String(number))))
        }),
    )
    const first = Array.from({ length: 100 }, () => page())
    await new Promise(setImmediate)
    expect(rendered).toBe(1)
    // These come too late for the first, which may not know what happened meanwhile.
    const second = Array.from({ length: 100 }, () => page())
    begun[0]?.()
    expect(new Set((await Promise.all(first)).map(({ body }) => body))).toEqual(new Set(['1']))
    while (begun.length < 2) await new Promise(setImmediate)
    begun[1]?.()
    expect(new Set((await Promise.all(second)).map(({ body }) => body))).toEqual(new Set(['2']))
    expect(rendered).toBe(2)
  })

  test('one that fails is rendered again for the next', async () => {
    let rendered = 0
    const page = sharedPage(async () => {
      if (++rendered === 1) throw new Error('no')
      return content('yes')
    })
    await expect(page()).rejects.toThrow('no')
    expect((await page()).body).toBe('yes')
  })
})
