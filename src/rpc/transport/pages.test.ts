import { describe, expect, test } from 'vitest'
import { type PageContent, sendPage, sharedPage, unchangedPage } from './pages.ts'

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

describe('the bytes of a page', () => {
  /** Sends a page and returns what the response ended with. */
  const sent = (page: () => Promise<PageContent>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const response = { writeHead: () => ({ end: resolve }) }
      sendPage(page, {} as never, response as never, { error: reject as never }) // what is used
    })

  test.each([
    ['rendered for all who wait', sharedPage],
    ['requested again each time', unchangedPage],
  ])('are the same for all who read one that is %s, until it changes', async (_, wrap) => {
    let text = 'é'.repeat(10)
    const page = wrap(async () => content(text.slice()))
    const first = await sent(page)
    expect(first).toEqual(Buffer.from('é'.repeat(10)))
    expect(await sent(page)).toBe(first)
    text = 'other'
    const changed = await sent(page)
    expect(changed).toEqual(Buffer.from('other'))
    expect(await sent(page)).toBe(changed)
  })
})
