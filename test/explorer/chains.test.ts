import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { type Relay, startRelay } from './relay.ts'

/** Creates a contract whose code is one byte. */
const creation = '0x6001600c60003960016000f300'
const abi = JSON.stringify([{ type: 'function', name: 'touch', inputs: [], outputs: [] }])

describe.skipIf(!hasChromium)(`one address for several chains${browserNote}`, slow, () => {
  const homes = [temporaryHome(), temporaryHome()] as const
  let services: readonly Service[]
  let relay: Relay
  let browser: Browser

  beforeAll(async () => {
    relay = await startRelay()
    // Neither keeps ABIs, and they differ in nothing but their beginning.
    services = await Promise.all(
      homes.map((home, index) =>
        startTestService(home, {
          flags: [
            '--json-rpc.explorer=on',
            '--json-rpc.api=eth,net,web3',
            `--genesis-time=${1_700_000_000 + index}`,
          ],
        }),
      ),
    )
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    for (const service of services) await service.close()
    await relay.close()
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  })

  test('an ABI that the browser keeps is of the chain that it was given for', async () => {
    const addresses = await Promise.all(
      services.map(async (service) => {
        const client = createRpcClient(service.urls().http ?? '')
        const [from] = await client.call<string[]>('eth_accounts')
        const hash = await client.call('eth_sendTransaction', { from, data: creation })
        const receipt = () =>
          client.call<{ readonly contractAddress: string } | null>('eth_getTransactionReceipt', hash)
        await expect.poll(receipt).not.toBeNull()
        return (await receipt())?.contractAddress
      }),
    )
    expect(addresses[0]).toBe(addresses[1])
    const { page, faults, open, close } = await openPage(browser, `${relay.url}/`)
    const text = page.getByLabel('ABI as text')
    const forget = page.getByRole('button', { name: 'Forget it' })
    const show = async (index: number): Promise<void> => {
      relay.lead(services[index]?.urls().http)
      await open(`#/address/${addresses[0]}?tab=contract`)
    }
    await show(0)
    await text.fill(abi)
    await page.getByRole('button', { name: 'Use this ABI' }).click()
    await forget.waitFor()
    await show(0)
    await forget.waitFor()
    await show(1)
    await text.waitFor()
    await text.fill(abi)
    await page.getByRole('button', { name: 'Use this ABI' }).click()
    await forget.waitFor()
    await show(1)
    await forget.click()
    await text.waitFor()
    await show(0)
    await forget.waitFor()
    expect(faults.filter((fault) => !/WebSocket connection|net::ERR_/.test(fault))).toEqual([])
    await close()
  })
})
