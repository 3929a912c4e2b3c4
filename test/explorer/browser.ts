import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

/** Where Debian and others install Chromium; `CHROMIUM` names another one. */
const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

const chromiumFile = places.find((place) => place !== undefined && existsSync(place))

export const hasChromium = chromiumFile !== undefined

/** What the name of a group says where there is no browser. */
export const browserNote = hasChromium ? '' : ' (skipped: there is no Chromium; CHROMIUM names it)'

export const startBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumFile ?? '',
    // Tests run as root in containers, where Chromium has no sandbox and little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })

/** A page that remembers whatever it should not have done. */
export interface WatchedPage {
  readonly page: Page
  /** Errors of the console, exceptions, requests to other hosts and violations of the content security policy. */
  readonly faults: string[]
  /** Opens a view and waits until nothing is loading. */
  open(route: string): Promise<void>
  close(): Promise<void>
}

/** Code for the page, as a text: this side has no types of browsers. */
const reportViolations = `addEventListener('securitypolicyviolation', (event) => {
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
})`

export const openPage = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
  prepare: (page: Page) => Promise<void> = async () => {},
): Promise<WatchedPage> => {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`))
  page.on('request', (request) => {
    const target = new URL(request.url())
    if (target.protocol !== 'data:' && target.host !== new URL(url).host)
      faults.push(`request: ${request.url()}`)
  })
  await page.addInitScript(reportViolations)
  await prepare(page)
  return {
    page,
    faults,
    open: async (route) => {
      await page.goto('about:blank')
      await page.goto(`${url}${route}`)
      await settle(page)
    },
    close: () => context.close(),
  }
}

/** Waits until a view is there and nothing in it is being loaded. */
export const settle = async (page: Page): Promise<void> => {
  await page.waitForSelector('main h1', { state: 'attached' })
  await page.waitForSelector('.loading', { state: 'detached' })
}

/** What axe finds that is serious for people who hear or tap the page. */
export const seriousFindings = async (page: Page): Promise<readonly string[]> => {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .slice(0, 3)
          .map(({ html }) => html.slice(0, 160))
          .join(' | ')}`,
    )
}
