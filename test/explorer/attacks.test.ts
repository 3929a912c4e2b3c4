import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { type Relay, startRelay } from './relay.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'
import { devViews, views } from './viewList.ts'

interface Call {
  readonly id: number
  readonly method: string
}

/** Answers the page's calls with whatever `lie` gives in place of the node. */
const answerWith = async (page: Page, lie: (method: string) => unknown): Promise<void> => {
  await page.route(
    (url) => url.pathname === '/',
    async (route: Route) => {
      const body = route.request().postData()
      if (body === null) return route.fallback()
      const json = JSON.parse(body) as Call | readonly Call[]
      const answer = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: lie(method) })
      await route.fulfill({ json: Array.isArray(json) ? json.map(answer) : answer(json as Call) })
    },
  )
}

describe.skipIf(!hasChromium)(`the explorer under attack${browserNote}`, slow, () => {
  const homes = [temporaryHome(), temporaryHome()] as const
  let services: Service[]
  let relay: Relay
  let browser: Browser
  let sample: SampleChain
  let url: string

  beforeAll(async () => {
    relay = await startRelay()
    services = await Promise.all(homes.map((home) => startTestService(home)))
    relay.lead(services[0]?.urls().http)
    url = `${relay.url}/`
    ;[browser, sample] = await Promise.all([startBrowser(), fillChain(relay.url)])
  })
  afterAll(async () => {
    await browser?.close()
    for (const service of services) await service.close()
    await relay.close()
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  })

  const fileOf = (name: string, parts: readonly string[]): string => {
    const path = join(homes[0], name)
    writeFileSync(path, parts.join(''))
    return path
  }

  test('files that are not an ABI, or too much of one, are refused', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/address/${sample.gold}?tab=contract`)
    const choose = page.getByLabel('ABI file')
    const deep = 20_000
    const tuple = '[{"type":"tuple","components":'
    const large = ['[', ' '.repeat(6e6), ']']
    for (const [name, parts] of [
      ['cut.json', ['[{']],
      ['deep.json', ['[{"name":"f","inputs":', tuple.repeat(deep), '[]', '}]'.repeat(deep), '}]']],
      ['many.json', ['[', '{"type":"event","name":"E"},'.repeat(100_000), '{}]']],
    ] as const) {
      await choose.setInputFiles(fileOf(name, parts))
      await page.getByText('This is not an ABI').waitFor()
      await choose.setInputFiles(fileOf('large.json', large))
      await page.getByText('This file is too large').waitFor()
    }
    expect(faults).toEqual([])
    await close()
  })

  test('a build-info of a hundred megabytes is read, of which the node gets little', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    let sent = 0
    page.on('request', (request) => {
      sent = Math.max(sent, request.postData()?.length ?? 0)
    })
    await open(`#/debug/${sample.deepFailure}`)
    await page.getByText('See the Solidity source').click()
    const build = JSON.parse(sample.buildInfo) as { readonly output: { readonly sources: object } }
    const trees = Object.fromEntries(
      Array.from({ length: 10 }, (_, at) => [`${at}.sol`, { id: 100 + at, ast: '@' }]),
    )
    const text = JSON.stringify({
      ...build,
      output: { ...build.output, sources: { ...build.output.sources, ...trees } },
    })
    const large = fileOf('build.json', [text.replaceAll('"@"', `"${'x'.repeat(1e7)}"`)])
    await page.getByLabel('Build-info file').setInputFiles(large)
    await page.getByRole('heading', { name: 'Link' }).waitFor()
    expect(sent).toBeLessThan(1e6)
    expect(faults).toEqual([])
    await close()
  })

  test.each([
    ['nothing', () => null],
    ['a text', () => '<b>\u202Etxet'],
    ['a list', () => [{}, null, 7]],
    ['an object of nothing', () => ({ number: null, hash: {}, transactions: 7, logs: {}, result: [] })],
    ['a number out of reach', () => `0x${'f'.repeat(400)}`],
  ])('a node that answers everything with %s breaks no view for good', async (_, lie) => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    await page.getByText('Live', { exact: true }).waitFor()
    await answerWith(page, lie)
    for (const [, routeOf] of [...views, ...devViews]) {
      await page.evaluate(`location.hash = ${JSON.stringify(routeOf(sample) || '#/')}`)
      await page.waitForTimeout(50)
      expect(await page.locator('main').count()).toBe(1)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate("location.hash = '#/block/7'")
    await page.getByText('State root').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test.each([
    'null',
    '[null]',
    '7',
    '{"jsonrpc":"2.0","id":0,"error":null}',
    '[{"id":0,"error":{"message":{}}}]',
  ])('answers that are %s for a while stop the live view for no longer', async (body) => {
    const client = createRpcClient(relay.url)
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    await page.getByText('Live', { exact: true }).waitFor()
    let answered = 0
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        if (route.request().postData() === null) return route.fallback()
        await route.fulfill({ body, contentType: 'application/json' })
        answered++
      },
    )
    await client.call('anvil_mine', '0x1')
    // The page heard of the block over its socket and asked for it.
    await expect.poll(() => answered).toBeGreaterThan(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await client.call('anvil_mine', '0x1')
    const newest = page.locator('[aria-label="The newest blocks"] li > a').first()
    const head = Number(await client.call('eth_blockNumber'))
    await expect.poll(async () => Number((await newest.textContent())?.replaceAll(',', ''))).toBe(head)
    expect(faults).toEqual([])
    await close()
  })

  test('of a node that takes long the page says so, and shows the answer when it comes', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    let release = (): void => {}
    const wait = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(
      ({ pathname }) => pathname === '/',
      async (route) => {
        if (route.request().postData()?.includes('eth_getBlockReceipts')) await wait
        await route.continue()
      },
    )
    await page.evaluate("location.hash = '#/block/7'")
    await page.getByText('The node has not answered yet').waitFor()
    release()
    await page.getByText('State root').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('another chain under the open page takes the place of the one before', async () => {
    const other = services[1]?.urls().http ?? ''
    const client = createRpcClient(other)
    await client.call('anvil_mine', '0x3')
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/address/${sample.gold}`)
    await page.getByRole('heading', { name: 'Contract' }).waitFor()
    await page.getByText('GOLD').first().waitFor()
    relay.lead(undefined)
    await page.getByText('No connection').waitFor()
    relay.lead(other)
    // The same address has neither code nor a name there.
    await page.getByRole('heading', { name: 'Account' }).waitFor()
    await expect.poll(() => page.getByText('GOLD').count()).toBe(0)
    await page.getByRole('link', { name: 'Overview' }).click()
    const newest = page.locator('[aria-label="The newest blocks"] li > a')
    await expect.poll(async () => (await newest.allTextContents()).map(Number)).toEqual([3, 2, 1, 0])
    expect(faults.filter((fault) => !/WebSocket connection|net::ERR_/.test(fault))).toEqual([])
    await close()
    relay.lead(services[0]?.urls().http)
  })
})
