import { rmSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { type Changes, distort, Refusal } from './distort.ts'

/** The initial code of a contract whose calls all revert. */
const reverting = '0x6460006000fd6000526005601bf3'
const consoleAddress = '0x000000000000000000636f6e736f6c652e6c6f67'

describe.skipIf(!hasChromium)(`the overview of the explorer${browserNote}`, slow, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let url: string
  let failed: string
  let paid: string
  let named: string

  beforeAll(async () => {
    service = await startTestService(home)
    const http = service.urls().http ?? ''
    url = `${http}/`
    browser = await startBrowser()
    const client = createRpcClient(http)
    const [from] = await client.call<string[]>('eth_accounts')
    const send = (transaction: object) =>
      client.call<string>('eth_sendTransaction', { from, gas: '0x30d40', ...transaction })
    const created = await send({ data: reverting })
    const { contractAddress: to } = await client.call<{ contractAddress: string }>(
      'eth_getTransactionReceipt',
      created,
    )
    paid = await send({ to: consoleAddress, value: '0x14d1120d7b160000' })
    const abi = [{ type: 'function', name: 'frobnicate', inputs: [], outputs: [], stateMutability: 'view' }]
    const evm = { bytecode: { object: reverting.slice(2) }, deployedBytecode: { object: '60006000fd' } }
    const output = { contracts: { 'a.sol': { Frobnicator: { abi, evm } } } }
    await client.call('hardhat_addCompilationResult', '0.8.37', {}, output)
    await send({ to: from, value: '0x1' })
    named = await send({ to, data: toFunctionSelector('frobnicate()') })
    failed = await send({ to })
    const { status } = await client.call<{ status: string }>('eth_getTransactionReceipt', failed)
    expect(status).toBe('0x0')
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const openOverview = async (changes: Changes = {}, options: object = {}) => {
    const watched = await openPage(browser, url, options, (page) => distort(page, changes))
    await watched.open('')
    return watched
  }

  const row = (page: Page, hash: string) =>
    page.locator('[aria-label="The newest transactions"] li', { has: page.locator(`a[href="#/tx/${hash}"]`) })

  test('marks transactions that failed, and shows values and the name of the console', async () => {
    const { page, faults, close } = await openOverview()
    await row(page, failed).getByRole('img', { name: 'Failed' }).waitFor()
    await row(page, failed).getByText('0 ETH').waitFor()
    await row(page, paid).getByText('1.5 ETH').waitFor()
    await row(page, paid).getByRole('link', { name: 'console' }).waitFor()
    expect(await row(page, paid).getByRole('img', { name: 'Failed' }).count()).toBe(0)
    await row(page, paid).getByRole('link', { name: 'console' }).click()
    await page.getByRole('heading', { name: /^Console of contracts/ }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('names the method once the ABI has come, and keeps everything inside its card', async () => {
    for (const width of [740, 1000, 1300]) {
      const { page, faults, close } = await openOverview({}, { viewport: { width, height: 720 } })
      await row(page, named).getByText('Frobnicator').waitFor()
      await row(page, named).getByText('frobnicate').waitFor()
      const wide =
        '[...document.querySelectorAll("main li")].filter((one) => one.scrollWidth > one.clientWidth)'
      expect(await page.evaluate(`${wide}.map((one) => one.textContent)`)).toEqual([])
      expect(faults).toEqual([])
      await close()
    }
  })

  test('shows transactions whose receipts the node does not give', async () => {
    const refuse = (): never => {
      throw new Refusal('pruned')
    }
    const { page, faults, close } = await openOverview({ eth_getTransactionReceipt: refuse })
    await row(page, paid).getByText('1.5 ETH').waitFor()
    expect(await page.getByRole('img', { name: 'Failed' }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
  })

  test('tells of validators and peers where there can be some', async () => {
    for (const [mode, count] of [
      ['embedded', 0],
      ['cometbft', 1],
    ] as const) {
      const { page, faults, close } = await openOverview({
        perihelion_status: (status: object) => ({ ...status, mode }),
      })
      await page.getByText(mode === 'embedded' ? /^Solo/ : /^CometBFT/).waitFor()
      await expect.poll(() => page.getByRole('link', { name: 'Validators' }).count()).toBe(count)
      await expect.poll(() => page.getByText('Peers', { exact: true }).count()).toBe(count)
      expect(faults).toEqual([])
      await close()
    }
  })

  test('on a phone the last view is a swipe away, and the row shows that it goes on', async () => {
    const { page, faults, close } = await openOverview({}, { viewport: { width: 320, height: 700 } })
    const nav = page.getByRole('navigation')
    const edge = async () => {
      const box = await nav.boundingBox()
      if (box === null) throw new Error('the row is not drawn')
      // A strip below the words, at the right end of the row.
      const clip = { x: box.x + box.width - 6, y: box.y + 2, width: 4, height: 4 }
      return (await page.screenshot({ clip })).toString('base64')
    }
    await nav.getByRole('link', { name: 'Dev tools' }).waitFor()
    const more = await edge()
    await page.evaluate("document.querySelector('nav').scrollLeft = 1000")
    await expect.poll(edge).not.toBe(more)
    const end = await edge()
    await page.evaluate("document.querySelector('nav').scrollLeft = 0")
    await expect.poll(edge).toBe(more)
    expect(end).not.toBe(more)
    expect(faults).toEqual([])
    await close()
  })
})
