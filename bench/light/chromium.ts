import { hasChromium, startBrowser } from '../../test/explorer/browser.ts'
import { startExamplePage } from '../../test/provider/examplePage.ts'
import { median } from '../support/load/percentile.ts'
import type { Measured } from '../support/run/part.ts'
import type { LightChain } from './stage.ts'

/** From the import of the bundle to a proven balance, in a page that has nothing of it yet. */
export const measureInChromium = async (
  { url, trust, accounts }: LightChain,
  runs: number,
): Promise<Measured> => {
  if (!hasChromium) return { figures: {}, note: 'there is no Chromium', isVoid: true }
  const site = await startExamplePage(url)
  const browser = await startBrowser()
  const asked = JSON.stringify({ urls: [`${site.url}/rpc`], trust })
  const script = `(async () => {
    const begin = performance.now()
    const { createLightProvider } = await import('/light/index.js')
    const provider = createLightProvider(${asked})
    await provider.request({ method: 'eth_getBalance', params: ['${accounts[0]}', 'latest'] })
    return performance.now() - begin
  })()`
  const times: number[] = []
  try {
    for (let run = 0; run < runs; run++) {
      const context = await browser.newContext()
      const page = await context.newPage()
      // A file of the same origin that is not a page.
      await page.goto(`${site.url}/light/LICENCES.txt`)
      times.push(await page.evaluate<number>(script))
      await context.close()
    }
  } finally {
    await browser.close()
    await site.close()
  }
  return {
    figures: {
      ms: median(times),
    },
  }
}
