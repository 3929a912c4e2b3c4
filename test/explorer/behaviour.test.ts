import { rmSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { type Relay, startRelay } from './relay.ts'
import { fillChain, hostileName, type SampleChain } from './sampleChain.ts'

/** A wallet as an extension injects it: it announces itself (EIP-6963) and sends through the node. */
const walletCode = (account: string): string => `
  const provider = {
    request: async ({ method, params = [] }) => {
      if (method === 'eth_requestAccounts') return ['${account}']
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const headers = { 'Content-Type': 'application/json' }
      const { result, error } = await (await fetch('./', { method: 'POST', headers, body })).json()
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    },
  }
  const info = { uuid: 'test', name: 'Test wallet', rdns: 'example.test', icon: '' }
  const announce = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  addEventListener('eip6963:requestProvider', announce)
`

const numbersShown = async (page: Page): Promise<readonly number[]> => {
  const list = await page.locator('[aria-label="The newest blocks"] li > a').allTextContents()
  return list.map((text) => Number(text.replaceAll(',', '')))
}

describe.skipIf(!hasChromium)(`what the explorer does${browserNote}`, slow, () => {
  const home = temporaryHome()
  let service: Service
  let relay: Relay
  let browser: Browser
  let sample: SampleChain
  let client: RpcClient
  let url: string

  const start = async (): Promise<void> => {
    service = await startTestService(home)
    relay.lead(service.urls().http)
  }

  beforeAll(async () => {
    relay = await startRelay()
    await start()
    url = `${relay.url}/`
    client = createRpcClient(relay.url)
    ;[browser, sample] = await Promise.all([startBrowser(), fillChain(relay.url)])
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    await relay.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('shows hostile data as text', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    page.on('dialog', (dialog) => {
      faults.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await open(`#/address/${sample.hostile}`)
    await page.getByText(hostileName).first().waitFor()
    await open(`#/tx/${sample.hostileTransfer}`)
    await page.getByText('<script>alert(2)').first().waitFor()
    await open(`#/tx/${sample.hostileFailure}`)
    // The mark that turns text around is named, and the reason is cut.
    await page.getByText('</p><b onclick=alert(3)>no</b> \\u202egnp.exe').first().waitFor()
    await page.getByText('(shortened)').first().waitFor()
    for (const tab of ['calls', 'raw', 'events', 'state'])
      await open(`#/tx/${sample.hostileFailure}?tab=${tab}`)
    await open(`#/tx/${encodeURIComponent('<img src=x onerror=alert(4)>')}`)
    expect(await page.locator('main img, main script, main [onclick]').count()).toBe(0)
    expect(faults.filter((fault) => !fault.includes('400'))).toEqual([])
    await close()
  })

  test('writes through a form with a wallet, and from an unlocked account', async () => {
    const { page, faults, open, close } = await openPage(browser, url, {}, async (one) => {
      await one.addInitScript(walletCode(sample.bob))
    })
    await open(`#/address/${sample.gold}?tab=contract`)
    await page.getByLabel('ABI as text').fill(sample.abi)
    await page.getByRole('button', { name: 'Use this ABI' }).click()
    await page.getByLabel('Write as').selectOption({ label: 'Test wallet' })
    const transfer = page.locator('details.function', {
      has: page.locator('summary', { hasText: /^transfer/ }),
    })
    await transfer.locator('summary').click()
    await transfer.getByLabel('to').fill(sample.alice)
    await transfer.getByLabel('amount').fill('not a number')
    await transfer.getByRole('button', { name: 'Write' }).click()
    await transfer.getByText('a whole number is needed').waitFor()
    await transfer.getByLabel('amount').fill('1000')
    await transfer.getByRole('button', { name: 'Write' }).click()
    const sent = await transfer.getByText('Sent:').locator('a').getAttribute('href')
    const hash = sent?.replace('#/tx/', '')
    expect(await client.call('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      from: sample.bob.toLowerCase(),
    })
    // More than it has: the contract's own words.
    await page.getByLabel('Write as').selectOption(sample.bob.toLowerCase())
    await transfer.getByLabel('amount').fill('999999999999999999999999')
    await transfer.getByRole('button', { name: 'Write' }).click()
    await transfer.getByText('ERC20InsufficientBalance').first().waitFor()
    const balance = page.locator('details.function', {
      has: page.locator('summary', { hasText: 'balanceOf' }),
    })
    await balance.locator('summary').click()
    await balance.locator('input').fill(sample.bob)
    await balance.getByRole('button', { name: 'Read' }).click()
    await balance.getByText('12,499,999,999,999,999,000').waitFor()
    expect(faults).toEqual([])
    await close()
    // The node keeps the ABI: another browser decodes what the table does not know.
    const second = await openPage(browser, url)
    await second.open(`#/tx/${sample.note}?tab=events`)
    await second.page.getByText('Noted(string text, uint256[] numbers)').waitFor()
    await second.open(`#/address/${sample.gold}?tab=contract`)
    await second.page.getByRole('button', { name: 'Forget it' }).click()
    await second.page.getByLabel('ABI as text').waitFor()
    expect(await client.call('perihelion_abis')).toEqual([])
    expect(second.faults).toEqual([])
    await second.close()
  })

  test('writes with a wallet that does not announce itself (EIP-1193), and stays where its owner refuses', async () => {
    const refusals = `window.ethereum = { request: async ({ method }) => {
      if (method === 'eth_requestAccounts') return ['${sample.bob}']
      if (method === 'eth_chainId') return '0x7a69'
      throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
    } }`
    const { page, faults, open, close } = await openPage(browser, url, {}, async (one) => {
      await one.addInitScript(refusals)
    })
    await open(`#/address/${sample.hostile}?tab=contract`)
    await page.getByRole('button', { name: 'It is an ERC-20 token' }).click()
    await page.getByLabel('Write as').selectOption({ label: 'Browser wallet' })
    const transfer = page.locator('details.function', {
      has: page.locator('summary', { hasText: /^transfer\s*$/ }),
    })
    await transfer.locator('summary').click()
    await transfer.getByLabel('to').fill(sample.alice)
    await transfer.locator('input').nth(1).fill('1')
    await transfer.getByRole('button', { name: 'Write' }).click()
    await transfer.getByText('User rejected the request.').waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('the console calls a method and shows how others would', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('#/console/eth_getBalance')
    await page
      .getByRole('button', { name: /^Example/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    await page.getByText(/ ms · \d+ B/).waitFor()
    for (const name of ['curl', 'viem', 'ethers', 'cast'])
      expect(await page.getByRole('button', { name }).count()).toBe(1)
    expect(faults).toEqual([])
    await close()
  })

  test('the tools for development change the chain, and the page follows it back', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('#/dev')
    const panel = (title: string) =>
      page.locator('section.panel', { has: page.getByRole('heading', { name: title, exact: true }) })
    const before = Number(await client.call('eth_blockNumber'))
    await panel('Snapshot').getByRole('button').click()
    await panel('Snapshot').getByText(`of block ${before}`).waitFor()
    await panel('Mine').getByLabel('Blocks').fill('3')
    await panel('Mine').getByRole('button').click()
    await panel('Mine')
      .getByText(`The newest block is ${before + 3}`)
      .waitFor()
    await panel('Faucet').getByLabel('Address').fill('0x00000000000000000000000000000000000000aa')
    await panel('Faucet').getByRole('button').click()
    await panel('Faucet').getByText('The balance is').waitFor()
    await panel('Go back').getByRole('button').click()
    await panel('Go back').getByText(`at block ${before} again`).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect.poll(async () => (await numbersShown(page))[0], { timeout: 120_000 }).toBe(before)
    expect(faults).toEqual([])
    await close()
  })

  test.each(['evm_revert', 'anvil_rollback'])(
    'a page that is live follows %s of another client',
    async (method) => {
      const { page, faults, open, close } = await openPage(browser, url)
      await open('')
      await page.getByText('Live', { exact: true }).waitFor()
      const newest = async () => (await numbersShown(page))[0]
      const before = Number(await client.call('eth_blockNumber'))
      const snapshot = await client.call<string>('evm_snapshot')
      await client.call('anvil_mine', '0x3')
      await expect.poll(newest, { timeout: 120_000 }).toBe(before + 3)
      await client.call(method, method === 'evm_revert' ? snapshot : '0x3')
      await expect.poll(newest, { timeout: 120_000 }).toBe(before)
      expect(faults).toEqual([])
      await close()
    },
  )

  test('a long table draws the rows that are seen, and scrolling brings the others', async () => {
    const count = 300
    const { alice: from, bob: to } = sample
    await client.call('evm_setAutomine', false)
    await Promise.all(
      Array.from({ length: count }, () => client.call('eth_sendTransaction', { from, to, gas: '0x5208' })),
    )
    await client.call('anvil_mine', '0x1')
    await client.call('evm_setAutomine', true)
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/block/${Number(await client.call('eth_blockNumber'))}`)
    await page.getByRole('button', { name: 'More' }).click()
    const last = page.locator(`tr[aria-rowindex="${count + 1}"]`)
    await page.waitForFunction(`document.querySelector('main table').ariaRowCount === '${count + 1}'`)
    expect(await page.locator('tbody tr').count()).toBeLessThan(200)
    expect(await last.count()).toBe(0)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await last.waitFor()
    expect(await page.locator('tbody tr').count()).toBeLessThan(200)
    expect(faults).toEqual([])
    await close()
  })

  test('after the node was away no block is missing', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open('')
    await page.getByText('Live', { exact: true }).waitFor()
    await sample.send(1n)
    await expect
      .poll(async () => (await numbersShown(page))[0], { timeout: 120_000 })
      .toBe(Number(await client.call('eth_blockNumber')))
    relay.lead(undefined)
    await page.getByText('No connection').waitFor()
    await service.close()
    service = await startTestService(home)
    // Blocks that the page hears nothing of.
    await createRpcClient(service.urls().http ?? '').call('anvil_mine', '0x5')
    relay.lead(service.urls().http)
    await page.getByText('Live', { exact: true }).waitFor()
    const head = Number(await client.call('eth_blockNumber'))
    await expect.poll(async () => (await numbersShown(page))[0], { timeout: 120_000 }).toBe(head)
    const shown = await numbersShown(page)
    expect(shown).toEqual(shown.map((_, index) => head - index))
    // That the node was not reachable is all that the console may tell.
    expect(faults.filter((fault) => !/WebSocket connection|net::ERR_/.test(fault))).toEqual([])
    await close()
  })

  test('where namespaces are off it says which, and how to turn them on', async () => {
    const bare = temporaryHome()
    const other = await startTestService(bare, {
      flags: ['--json-rpc.explorer=on', '--json-rpc.api=eth,net,web3'],
    })
    const { page, faults, open, close } = await openPage(browser, `${other.urls().http}/`)
    for (const [route, namespace] of [
      ['#/pool', 'txpool'],
      ['#/validators', 'perihelion'],
      [`#/address/${sample.alice}`, 'ots'],
    ] as const) {
      await open(route)
      await page
        .getByText(`--json-rpc.api eth,net,${[namespace, 'web3'].sort().join(',')}`)
        .first()
        .waitFor()
    }
    expect(await page.getByRole('link', { name: 'Dev tools' }).count()).toBe(0)
    expect(faults).toEqual([])
    await close()
    await other.close()
    rmSync(bare, { recursive: true, force: true })
  })
})
