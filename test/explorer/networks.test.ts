import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeNetwork } from '../network/describeNetwork.ts'
import { until } from '../network/homeProcess.ts'
import { type Network, startHomes, writeHomes } from '../network/testnet.ts'
import { isolatedFlags, type Program, runProgram } from '../support/program.ts'
import { createRpcClient } from '../support/rpc/rpcClient.ts'
import { slow } from '../support/slow.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'
import { nativeViews, views } from './viewList.ts'

/** What the page shows of a chain of CometBFT. */
const namespaces = 'eth,net,web3,txpool,debug,ots,perihelion,cosmos'

/** Longer than a busy machine takes to start a thread for traces, which is what the first trace waits for. */
const limits = { 'http-timeout': '110s', 'queue-timeout': '110s', 'trace-timeout': '110s' }

/** Turns the page on in the file of a home, as whoever runs it would. */
const enablePage = (home: string): void => {
  const path = join(home, 'config', 'app.toml')
  const text = readFileSync(path, 'utf8')
  const enabled = text
    .replace(/^#?\s*explorer = .*$/m, 'explorer = "on"')
    .replace(/^#?\s*api = .*$/m, `api = [${namespaces.split(',').map((name) => `"${name}"`)}]`)
  const changed = Object.entries(limits).reduce(
    (file, [name, value]) => file.replace(new RegExp(`^#?\\s*${name} = .*$`, 'm'), `${name} = "${value}"`),
    enabled,
  )
  for (const [name, value] of Object.entries(limits)) expect(changed).toContain(`\n${name} = "${value}"`)
  writeFileSync(path, changed)
}

describeNetwork(`the explorer on chains of CometBFT${browserNote}`, slow, () => {
  describe.skipIf(!hasChromium)('with four validators', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perihelion-explorer-'))
    let network: Network
    let gateway: Program
    let browser: Browser
    let sample: SampleChain
    let gatewayUrl: string

    beforeAll(async () => {
      const { folder: homesFolder, homes } = await writeHomes(4)
      for (const home of homes) enablePage(home)
      network = await startHomes(homesFolder, homes)
      const [node] = network.nodes
      gateway = runProgram([
        'gateway',
        ...['--node', node?.rpc ?? '', '--json-rpc.explorer', 'on', '--json-rpc.api', namespaces],
        ...Object.entries(limits).flatMap(([name, value]) => [`--json-rpc.${name}`, value]),
        ...isolatedFlags(join(folder, 'gateway')),
      ])
      ;[browser, sample] = await Promise.all([
        startBrowser(),
        fillChain(node?.http ?? '', { signsItself: true }),
      ])
      gatewayUrl = (await gateway.ready()).http ?? ''
      const client = createRpcClient(gatewayUrl)
      await until(
        'the last transaction at the gateway',
        async () => (await client.call('eth_getTransactionReceipt', sample.hostileFailure)) !== null,
      )
    })
    afterAll(async () => {
      await browser?.close()
      gateway?.child.kill('SIGTERM')
      await gateway?.ended()
      await network?.stop()
      rmSync(folder, { recursive: true, force: true })
    })

    const showsAll = async (url: string): Promise<void> => {
      const { page, faults, open, close } = await openPage(browser, `${url}/`)
      const missing: string[] = []
      for (const [name, routeOf, text] of [...views, ...nativeViews]) {
        await open(routeOf(sample))
        const shown = page.getByText(text).first()
        const what = async () =>
          missing.push(`${name}, which says: ${await page.locator('main').innerText()}`)
        await shown.waitFor({ state: 'attached', timeout: 60_000 }).catch(what)
      }
      expect({ missing, faults }).toEqual({ missing: [], faults: [] })
      expect(await page.getByRole('link', { name: 'Dev tools' }).count()).toBe(0)
      await close()
    }

    const followsHead = async (url: string): Promise<void> => {
      const { page, faults, open, close } = await openPage(browser, `${url}/`)
      await open('')
      await page.getByText('Live', { exact: true }).waitFor()
      const newest = page.locator('[aria-label="The newest blocks"] li > a').first()
      const first = await newest.textContent()
      await expect.poll(() => newest.textContent()).not.toBe(first)
      expect(faults).toEqual([])
      await close()
    }

    test('a validator: every view, and the head', async () => {
      const url = network.nodes[0]?.http ?? ''
      await showsAll(url)
      await followsHead(url)
    })

    test('a gateway in front of it: every view, and the head', async () => {
      await showsAll(gatewayUrl)
      await followsHead(gatewayUrl)
    })

    test('native hashes and addresses lead to their views', async () => {
      const url = network.nodes[0]?.http ?? ''
      const client = createRpcClient(url)
      const bech32 = await client.call<string>('cosmos_toBech32', sample.bob)
      const nativeHash = await client.call<string>('cosmos_getTransactionHash', sample.transfer)
      const { page, faults, open, close } = await openPage(browser, `${url}/`)
      await open('')
      for (const [text, link] of [
        [bech32, `#/address/${sample.bob}`],
        [nativeHash, `#/tx/${sample.transfer}`],
      ] as const) {
        await page.keyboard.press('/')
        await page.keyboard.type(text)
        await page.keyboard.press('Enter')
        await expect.poll(() => new URL(page.url()).hash.toLowerCase()).toBe(link.toLowerCase())
        await open('')
      }
      expect(faults).toEqual([])
      await close()
    })
  })
})
