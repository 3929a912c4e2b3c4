import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { distort } from './distort.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'

const eachText = (value: unknown, change: (text: string) => string): unknown => {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => eachText(one, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachText(one, change)]))
}

describe.skipIf(!hasChromium)(`the explorer with answers that are nearly right${browserNote}`, slow, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let sample: SampleChain
  let http: string

  beforeAll(async () => {
    service = await startTestService(home)
    http = service.urls().http ?? ''
    ;[browser, sample] = await Promise.all([startBrowser(), fillChain(http)])
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  test.each([
    ['digits', (text: string) => `0x${'f'.repeat(Math.max(text.length, 1e6))}`],
    ['letters', () => 'x'.repeat(1e6)],
  ])('fields of a million %s leave the page able to go on', async (_, change) => {
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    await open('')
    const every = (result: unknown) => eachText(result, change)
    await distort(page, {
      eth_getBlockReceipts: every,
      eth_getBalance: every,
      debug_traceTransaction: every,
      eth_getTransactionReceipt: every,
      txpool_content: every,
    })
    for (const link of [
      '#/block/7',
      `#/address/${sample.bob}`,
      `#/tx/${sample.transfer}`,
      `#/tx/${sample.transfer}?tab=events`,
      `#/tx/${sample.deepFailure}?tab=calls`,
      `#/tx/${sample.transfer}?tab=state`,
    ]) {
      await page.evaluate(`location.hash = ${JSON.stringify(link)}`)
      // Shown or refused, but not in work for good.
      await page.waitForSelector('.loading', { state: 'detached' })
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.evaluate("location.hash = '#/block/7'")
    await page.getByText('State root').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('a figure that is none draws nothing', async () => {
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    await distort(page, { eth_getBlockByNumber: (block: object) => ({ ...block, gasLimit: {} }) })
    await open('#/blocks')
    await page.locator('tbody tr').first().waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('fees have the gas of blobs in them', async () => {
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    // Of an ether for its gas and two for its blob.
    const receipt = {
      gasUsed: '0xde0b6b3a7640000',
      effectiveGasPrice: '0x1',
      blobGasUsed: '0x20000',
      blobGasPrice: `0x${((2n * 10n ** 18n) / 0x20000n).toString(16)}`,
    }
    await distort(page, {
      eth_getTransactionReceipt: (found: object) => ({ ...found, ...receipt }),
      eth_getBlockReceipts: (found: readonly object[]) =>
        [found[0], found[0]].map((one) => ({ ...one, ...receipt })),
    })
    const amount = async (name: string): Promise<number> => {
      const row = page.locator('.facts > div', { has: page.getByText(name, { exact: true }) })
      return Number.parseFloat((await row.locator('dd').textContent()) ?? '')
    }
    await open(`#/tx/${sample.transfer}`)
    expect([await amount('Fee'), await amount('Of this, for blobs')]).toEqual([3, 2])
    await open('#/block/7')
    expect([await amount('Fees paid'), await amount('Of these, for blobs')]).toEqual([6, 4])
    expect(faults).toEqual([])
    await close()
  })

  test('of a long list of changes the beginning is shown, and more for those who ask', async () => {
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    const storage = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, at) => [`0x${at.toString(16).padStart(64, '0')}`, '0x1']),
    )
    await distort(page, {
      debug_traceTransaction: () => ({ pre: {}, post: { [sample.gold]: { storage } } }),
    })
    await open(`#/tx/${sample.transfer}?tab=state`)
    const rows = page.locator('main tbody tr')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(100)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => rows.count()).toBe(600)
    expect(faults).toEqual([])
    await close()
  })

  test('with new blocks the newest transactions of an account are asked for again, and not older ones', async () => {
    const client = createRpcClient(http)
    const { alice: from, bob: to } = sample
    for (let count = 0; count < 30; count++)
      await client.call('eth_sendTransaction', { from, to, gas: '0x5208' })
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    let asked = 0
    page.on('request', (request) => {
      if (request.postData()?.includes('ots_searchTransactionsBefore')) asked++
    })
    const mine = async (): Promise<void> => {
      // The page knows of the block when it asks for the balance again.
      const known = page.waitForResponse(
        (response) => response.request().postData()?.includes('eth_getBalance') ?? false,
      )
      await Promise.all([known, client.call('anvil_mine', '0x1')])
    }
    await open(`#/address/${from}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    const newer = page.getByRole('button', { name: 'Newer' })
    await expect.poll(() => newer.isEnabled()).toBe(true)
    // The answer to its question is there, and with it all that the first page asked before.
    await mine()
    const before = asked
    for (let count = 0; count < 3; count++) await mine()
    expect(asked).toBe(before)
    await newer.click()
    await expect.poll(() => newer.isDisabled()).toBe(true)
    const first = asked
    await mine()
    await expect.poll(() => asked).toBeGreaterThan(first)
    expect(faults).toEqual([])
    await close()
  })

  test('a node that answers later than its next block comes is heard', async () => {
    const client = createRpcClient(http)
    const { page, faults, open, close } = await openPage(browser, `${http}/`)
    await open('')
    await page.getByText('Live', { exact: true }).waitFor()
    let asked = 0
    let release = (): void => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await distort(page, {
      ots_searchTransactionsBefore: async (found: unknown) => {
        asked++
        await held
        return found
      },
    })
    await page.evaluate(`location.hash = '#/address/${sample.gold}'`)
    await expect.poll(() => asked).toBe(1)
    for (let count = 0; count < 3; count++) {
      // The page knows of the block when it asks for the balance again.
      const known = page.waitForRequest((request) => request.postData()?.includes('eth_getBalance') ?? false)
      await Promise.all([known, client.call('anvil_mine', '0x1')])
    }
    // Had it asked anew with each block, the answer to the first question would count for nothing.
    expect(asked).toBe(1)
    release()
    await page.locator('main tbody tr').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    expect(faults).toEqual([])
    await close()
  })
})
