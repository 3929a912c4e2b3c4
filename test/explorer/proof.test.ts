import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeNetwork } from '../network/describeNetwork.ts'
import { startHomes, writeHomes } from '../network/testnet.ts'
import { type LightNetwork, startLightNetwork } from '../provider/network.ts'
import { eventually } from '../support/eventually.ts'
import { runProgram } from '../support/program.ts'
import { slow } from '../support/slow.ts'
import { browserNote, hasChromium, openPage, startBrowser, type WatchedPage } from './browser.ts'

/** Has a node serve the page, and pages of other origins. */
const openTo = (home: string): void => {
  const path = join(home, 'config', 'app.toml')
  const text = readFileSync(path, 'utf8')
    .replace(/^#?\s*explorer = .*$/m, 'explorer = "on"')
    .replace(/^#?\s*cors = .*$/m, 'cors = ["*"]')
    .replace(/^#?\s*api = .*$/m, 'api = ["eth", "net", "web3", "txpool", "perihelion", "cosmos", "ots"]')
  expect(text).toContain('\ncors = ["*"]')
  writeFileSync(path, text)
}

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

/** A file server that knows nothing of the page. */
const serveFolder = async (folder: string): Promise<Server> => {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const file = join(folder, pathname === '/' ? 'index.html' : pathname)
    if (!existsSync(file)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': types[file.slice(file.lastIndexOf('.') + 1)] ?? '' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

describeNetwork(`the explorer that believes nothing${browserNote}`, slow, () => {
  describe.skipIf(!hasChromium)('before four validators', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-page-'))
    let chain: LightNetwork
    let browser: Browser
    let files: Server
    let site: string

    beforeAll(async () => {
      const written = runProgram(['explorer', folder])
      expect(await written.ended()).toBe(0)
      files = await serveFolder(folder)
      site = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
      chain = await startLightNetwork(10, async () => {
        const { folder: homesFolder, homes } = await writeHomes(4)
        for (const home of homes) openTo(home)
        return startHomes(homesFolder, homes)
      })
      browser = await startBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      files?.close()
      await chain?.network.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const node = (): string => `${chain.urls[0]}/`
    const trust = (): string => `${chain.trust.height}:${chain.trust.hash}`
    const search = (): string => `/?rpc=${node()}&trust=${trust()}`

    /** Opens a page whose only other host is the endpoint. */
    const open = async (
      url: string,
      route: string,
      prepare?: (page: Page) => Promise<void>,
    ): Promise<WatchedPage> => {
      const watched = await openPage(browser, url, {}, prepare)
      await watched.open(route)
      const close = async (): Promise<void> => {
        await watched.page.unrouteAll({ behavior: 'ignoreErrors' })
        await watched.close()
      }
      return { ...watched, close }
    }
    const faultsOf = ({ faults }: WatchedPage): readonly string[] =>
      faults.filter((fault) => !fault.startsWith(`request: ${node()}`))

    /** `PICTURES=folder` keeps what the page looked like. */
    const picture = async (page: Page, name: string): Promise<void> => {
      const pictures = process.env.PICTURES
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `proof-${name}.png`) })
    }

    const barOf = (page: Page) => page.locator('.proof-bar')
    const signed = /block [\d,]+, (signed by more than two thirds of )?4 validators \(power [\d,]+\)/

    test('proves an account, a block and a transaction, from any file server', async () => {
      const watched = await open(site, `${search()}#/address/${chain.contract}`)
      const { page } = watched
      await page.locator('.facts .proof').first().waitFor()
      expect(await barOf(page).textContent()).toMatch(signed)
      const balance = page.locator('.facts > div', { hasText: 'Balance' })
      expect(await balance.locator('.proof').textContent()).toMatch(signed)
      const native = page.locator('.facts > div', { hasText: 'Native' })
      expect(await native.locator('.unproven').textContent()).toContain('unproven')
      await picture(page, 'account')
      for (const route of [`#/block/${chain.head}`, `#/tx/${chain.transactions[0]}`]) {
        await watched.open(`${search()}${route}`)
        await page.locator('main .proof').first().waitFor()
        await picture(page, route.slice(2, 5))
      }
      await watched.open(`${search()}#/tx/${chain.transactions[0]}?tab=calls`)
      expect(await page.locator('.notice.unproven').textContent()).toContain('Nothing proves this')
      await watched.open(`${search()}#/pool`)
      expect(await page.locator('.notice.unproven').count()).toBe(1)
      await watched.open(`${search()}#/`)
      await page.locator('.stream li').first().waitFor()
      await picture(page, 'overview')
      expect(faultsOf(watched)).toEqual([])
      await watched.close()
    })

    test('runs the EVM in the page of a node, whose policy allows nothing else', async () => {
      const watched = await open(node().slice(0, -1), `/?trust=${trust()}#/address/${chain.contract}`)
      const { page } = watched
      await page.locator('.facts .proof').first().waitFor()
      // A contract is asked for its name, by a call that the page runs.
      await eventually(() =>
        page.evaluate<boolean>(
          `performance.getEntriesByType('resource').some(({ name }) => name.includes('callMethods'))`,
        ),
      )
      expect(await page.textContent('.proof-bar')).toMatch(signed)
      expect(watched.faults).toEqual([])
      await watched.close()
    })

    test('the switch takes a block that is typed', async () => {
      const watched = await open(site, `/?rpc=${node()}#/block/${chain.head}`)
      const { page } = watched
      expect(await page.locator('.proof-bar, .proof, .unproven').count()).toBe(0)
      await page.getByLabel('The page believes its endpoint. Change').click()
      const field = page.getByLabel('Trusted block, as HEIGHT:HASH')
      await field.fill('12:34')
      await picture(page, 'switch')
      expect(await page.getByRole('button', { name: 'Prove everything' }).isDisabled()).toBe(true)
      await field.fill(trust())
      await page.getByRole('button', { name: 'Prove everything' }).click()
      await page.locator('main .proof').first().waitFor()
      expect(new URL(page.url()).searchParams.get('trust')).toBe(trust())
      await page.getByLabel('The page believes nothing. Change').click()
      await page.getByRole('button', { name: 'Believe the endpoint' }).click()
      await page.getByLabel('The page believes its endpoint. Change').waitFor()
      expect(await page.locator('.proof-bar').count()).toBe(0)
      await watched.close()
    })

    /** Changes what the endpoint says on its way. */
    const changing =
      (change: (answer: Record<string, unknown>, method: string) => unknown) =>
      async (page: Page): Promise<void> =>
        void (await page.route(node(), async (route) => {
          const body = route.request().postDataJSON() as { readonly method?: string } | null
          if (body?.method === undefined) return route.continue()
          const response = await route.fetch()
          const answer = (await response.json()) as Record<string, unknown>
          await route.fulfill({ response, json: change(answer, body.method) })
        }))

    test('shows no value of an endpoint that lies, and says which one it is', async () => {
      const account = chain.accounts[0] ?? ''
      const lying = changing((answer, method) =>
        method === 'perihelion_proofs' ? { ...answer, result: { nodes: [], codes: [] } } : answer,
      )
      const watched = await open(site, `${search()}#/address/${account}`, lying)
      const { page } = watched
      await page.locator('.proof-bar .bad').first().waitFor()
      expect(await barOf(page).textContent()).toContain(`lied and is no longer used: ${node().slice(0, -1)}`)
      expect(await page.locator('.facts').count()).toBe(0)
      await picture(page, 'lie')
      // The control: who believes the endpoint sees a balance.
      const believing = await open(site, `/?rpc=${node()}#/address/${account}`, lying)
      expect(await believing.page.locator('.facts').count()).toBe(1)
      await believing.close()
      await watched.close()
    })

    test('says that a trusted hash is not of the chain', async () => {
      const other = `${chain.trust.height}:${'12'.repeat(32)}`
      const watched = await open(site, `/?rpc=${node()}&trust=${other}#/address/${chain.accounts[0]}`)
      await watched.page.locator('.proof-bar .bad').first().waitFor()
      expect(await barOf(watched.page).textContent()).toContain('Nothing can be proven now')
      expect(await watched.page.locator('.facts, .proof').count()).toBe(0)
      await watched.close()
    })

    test('goes on after a time offline, and with an endpoint that is slow and fails', async () => {
      let count = 0
      const flaky = async (page: Page): Promise<void> =>
        void (await page.route(node(), async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          if (++count % 5 === 0) await route.abort()
          else await route.continue()
        }))
      const watched = await open(site, `${search()}#/`, async (page) => {
        await page.addInitScript('const now = Date.now\nglobalThis.ahead = 0\nDate.now = () => now() + ahead')
        await flaky(page)
      })
      const { page } = watched
      await page.locator('.stream li').first().waitFor()
      await page.context().setOffline(true)
      // A proven head is believed for a minute, which the page's clock skips.
      await page.evaluate('ahead = 61_000')
      await page.locator('.proof-bar .bad').first().waitFor()
      await page.context().setOffline(false)
      await page.evaluate('ahead = 0')
      await page.locator('.proof-bar .bad').first().waitFor({ state: 'detached' })
      expect(await barOf(page).textContent()).toMatch(signed)
      expect(watched.faults.filter((fault) => fault.startsWith('exception'))).toEqual([])
      await watched.close()
    })
  })
})
