import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSite } from '../../scripts/site/buildSite.ts'
import { sections } from '../../scripts/site/navigation.ts'
import type { Service } from '../../src/service/start/startService.ts'
import { pages, readPage } from '../docs/markdown.ts'
import { browserNote, hasChromium, startBrowser } from '../explorer/browser.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { type FileServer, serveFolder } from './fileServer.ts'

const site = mkdtempSync(join(tmpdir(), 'site-'))
beforeAll(async () => {
  await buildSite(site)
})
afterAll(() => rmSync(site, { recursive: true, force: true }))

const htmlFiles = (): readonly string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))

/** What the attributes of a page name, by attribute. */
const targetsOf = (html: string): readonly (readonly [string, string])[] =>
  [...html.matchAll(/<(\w+)[^>]* (?:href|src)="([^"]*)"/g)].map(([, tag = '', target = '']) => [tag, target])

const idsOf = new Map<string, ReadonlySet<string>>()
const hasId = (file: string, id: string): boolean => {
  const known = idsOf.get(file)
  const ids =
    known ?? new Set([...readFileSync(file, 'utf8').matchAll(/ id="([^"]*)"/g)].map(([, name = '']) => name))
  idsOf.set(file, ids)
  return ids.has(id)
}

/** Why a link of the site leads nowhere; undefined if it leads somewhere. */
const problemOf = (file: string, target: string): string | undefined => {
  if (/^(?:[a-z]+:)/.test(target)) return undefined
  const [path = '', anchor] = target.split('#')
  const goal = path === '' ? join(site, file) : join(site, dirname(file), decodeURIComponent(path))
  if (!existsSync(goal)) return `${file}: ${target} is not there`
  if (anchor === undefined || !goal.endsWith('.html')) return undefined
  return hasId(goal, anchor) ? undefined : `${file}: ${target} has no such heading`
}

describe('the site', () => {
  test('has every page that people read, in its navigation or below a page of it', () => {
    const listed = sections.flatMap((section) => section.pages)
    const below = /^docs\/decisions\/\d/
    expect(pages.filter((page) => !listed.includes(page) && !below.test(page))).toEqual([])
    expect(listed.filter((page) => !pages.includes(page))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })

  test('has no link that leads nowhere', () => {
    const problems = htmlFiles().flatMap((file) =>
      targetsOf(readFileSync(join(site, file), 'utf8')).map(([, target]) => problemOf(file, target)),
    )
    expect(problems.length).toBeGreaterThan(1_000)
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
    expect(problemOf('index.html', 'docs/nowhere.html')).toContain('is not there')
    expect(problemOf('index.html', 'docs/start.html#nowhere')).toContain('no such heading')
  })

  test('loads nothing from others', () => {
    const loaded = htmlFiles().flatMap((file) =>
      targetsOf(readFileSync(join(site, file), 'utf8')).filter(
        ([tag, target]) => tag !== 'a' && /^(?:[a-z]+:)?\/\//.test(target),
      ),
    )
    expect(loaded).toEqual([])
    expect(readFileSync(join(site, 'site.css'), 'utf8')).not.toMatch(/@import|url\(/)
  })

  test('has a request for every method of the OpenRPC document', () => {
    const folder = join(site, 'docs/methods')
    const html = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const { methods } = JSON.parse(readPage('docs/openrpc.json')) as {
      methods: readonly { name: string }[]
    }
    const missing = methods.filter(
      ({ name }) => !html.some((page) => page.includes(`&#34;method&#34;:&#34;${name}&#34;`)),
    )
    expect(missing).toEqual([])
  })
})

describe.skipIf(!hasChromium)(`the site in a browser${browserNote}`, slow, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let server: FileServer
  beforeAll(async () => {
    service = await startTestService(home)
    browser = await startBrowser()
    server = await serveFolder(site)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await service?.close()
    rmSync(home, { recursive: true, force: true })
  })

  const onPage = async (url: string, run: (page: Page) => Promise<void>): Promise<void> => {
    const page = await browser.newPage()
    try {
      await page.goto(url)
      await run(page)
    } finally {
      await page.close()
    }
  }

  const search = async (page: Page, words: string): Promise<void> => {
    await page.keyboard.press('/')
    await page.keyboard.type(words)
    await page.waitForSelector('#results a')
  }

  test.each(['a file server', 'a folder'])('search works from %s', async (kind) => {
    const start = kind === 'a folder' ? `${pathToFileURL(site)}/index.html` : `${server.url}/`
    await onPage(start, async (page) => {
      await search(page, 'eth_getBalance')
      expect(await page.textContent('#results a >> nth=0')).toContain('eth_getBalance')
      await page.keyboard.press('Enter')
      await page.waitForURL(/docs\/methods\/eth\.html#eth_getbalance$/)
      await search(page, 'remote signing')
      expect(await page.textContent('#results')).toMatch(/remote sign/i)
    })
  })

  test('search says when it finds nothing', async () => {
    await onPage(`${server.url}/docs/start.html`, async (page) => {
      await page.fill('#search', 'xyzzyqwv')
      await page.waitForSelector('#results li')
      expect(await page.textContent('#results')).toBe('Nothing found for “xyzzyqwv”')
    })
  })

  test('an example runs against a node', async () => {
    await onPage(`${server.url}/docs/methods/eth.html`, async (page) => {
      await page.fill('#node', service.urls().http ?? '')
      const example = page.locator('#eth_chainid ~ .example').first()
      await example.locator('button').click()
      const response = example.locator('.response')
      await response.filter({ hasText: 'jsonrpc' }).waitFor()
      expect(JSON.parse((await response.textContent()) ?? '')).toEqual({
        jsonrpc: '2.0',
        id: 1,
        result: '0x7a69',
      })
      await example.locator('textarea').fill('{')
      await example.locator('button').click()
      await response.filter({ hasText: 'invalid JSON' }).waitFor()
    })
  })

  test('an example says what to set when the node rejects the page', async () => {
    await onPage(`${pathToFileURL(site)}/docs/methods/eth.html`, async (page) => {
      await page.fill('#node', service.urls().http ?? '')
      const example = page.locator('#eth_chainid ~ .example').first()
      await example.locator('button').click()
      await example.locator('.response').filter({ hasText: 'json-rpc.cors' }).waitFor()
    })
  })
})
