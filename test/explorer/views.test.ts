import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import {
  browserNote,
  hasChromium,
  openPage,
  seriousFindings,
  startBrowser,
  type WatchedPage,
} from './browser.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'
import { devViews, views } from './viewList.ts'

describe.skipIf(!hasChromium)(`the views of the explorer${browserNote}`, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let url: string
  let sample: SampleChain

  beforeAll(async () => {
    service = await startTestService(home)
    const http = service.urls().http ?? ''
    url = `${http}/`
    ;[browser, sample] = await Promise.all([startBrowser(), fillChain(http)])
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('a browser that opens the address sees the chain', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    await page.waitForSelector('text=Live')
    expect(await page.title()).toContain('Perihelion')
    expect(faults).toEqual([])
    await close()
  })

  describe('each', slow, () => {
    let watched: WatchedPage

    beforeAll(async () => {
      watched = await openPage(browser, url)
    })
    afterAll(() => watched?.close())

    test.each([...views, ...devViews])(
      '%s: shown, without a fault and for everybody',
      async (_, routeOf, text) => {
        const { page, faults, open } = watched
        faults.length = 0
        await open(routeOf(sample))
        await page.getByText(text).first().waitFor({ state: 'attached' })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await seriousFindings(page)).toEqual([])
        }
        expect(faults).toEqual([])
      },
    )
  })

  test('at the width of a phone no view is wider than the screen', slow, async () => {
    const { page, faults, open, close } = await openPage(browser, url, {
      viewport: { width: 360, height: 740 },
    })
    for (const [name, routeOf, text] of [...views, ...devViews]) {
      await open(routeOf(sample))
      await page.getByText(text).first().waitFor({ state: 'attached' })
      const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      // Nor does a table scroll by itself: its rows are cards there.
      const tables = await page.evaluate<number>(
        "[...document.querySelectorAll('main .scroll, .tree')].filter((one) => one.scrollWidth > one.clientWidth).length",
      )
      expect({ name, excess, tables }).toEqual({ name, excess: 0, tables: 0 })
    }
    expect(faults).toEqual([])
    await close()
  })

  test('the arrow keys scroll a region that has the focus, and else lead on', slow, async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('#/block/7')
    const region = page.locator('main section.scroll').first()
    const scrolled = () => page.evaluate<number>("document.querySelector('main section.scroll').scrollLeft")
    await page.evaluate("document.querySelector('main section.scroll table').style.minWidth = '4000px'")
    await region.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(scrolled).toBeGreaterThan(0)
    expect(page.url()).toMatch(/#\/block\/7$/)
    // What is seen whole has nothing to scroll.
    await page.evaluate("document.querySelector('main section.scroll table').style.minWidth = ''")
    await region.focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/#\/block\/8$/)
    expect(faults).toEqual([])
    await close()
  })

  test('the keyboard alone finds a block, goes on and back, and reads a row', slow, async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    await page.keyboard.press('/')
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/block\/7$/)
    await page.waitForSelector('text=State root')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/#\/block\/8$/)
    await page.waitForSelector('text=State root')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/tx\/0x/)
    await page.keyboard.press('?')
    await page.waitForSelector('dialog[open]')
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog[open]', { state: 'detached' })
    await page.keyboard.press('b')
    await page.waitForURL(/#\/blocks$/)
    expect(faults).toEqual([])
    await close()
  })
})
