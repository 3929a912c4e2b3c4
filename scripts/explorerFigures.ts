/**
 * What the explorer costs: the browser that shows it, and the node behind it.
 *
 *   npx tsx scripts/explorerFigures.ts [minutes of live blocks]
 *
 * Needs a build (`node scripts/build.mjs`) and Chromium.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { openPage, settle, startBrowser } from '../test/explorer/browser.ts'
import { isolatedFlags, runProgram } from '../test/support/program.ts'
import { createRpcClient } from '../test/support/rpc/rpcClient.ts'
import { temporaryHome } from '../test/support/testServer.ts'

const minutes = Number(process.argv[2] ?? 10)
const blockMs = 100
const openPages = 10
const cpuSeconds = 15
const rows = 1000

const print = (name: string, value: unknown): void =>
  void process.stdout.write(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}\n`)

/** The time that a process has run, in milliseconds; the kernel counts in hundredths of a second. */
const cpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface FirstView {
  readonly paint: number
  readonly bytes: number
}

const firstView = async (browser: Browser, url: string): Promise<FirstView> => {
  const { page, open, close } = await openPage(browser, url)
  await open('')
  await page.waitForSelector('.uplot')
  const found = await page.evaluate<FirstView>(`(() => {
    const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    return {
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      bytes: entries
        .filter((entry) => entry.initiatorType !== 'fetch')
        .reduce((sum, entry) => sum + entry.encodedBodySize, 0),
    }
  })()`)
  await close()
  return found
}

/** The heap of a page after everything that can be freed was: the least of several looks, as blocks come meanwhile. */
const heapBytes = async (page: Page): Promise<number> => {
  const session = await page.context().newCDPSession(page)
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < 6; count++) {
    await session.send('HeapProfiler.collectGarbage')
    least = Math.min(least, (await session.send('Runtime.getHeapUsage')).usedSize)
  }
  await session.detach()
  return least
}

/** Scrolls a table of many rows for some seconds and counts the frames. */
const scroll = async (page: Page) =>
  page.evaluate<{ frames: number; ms: number; p95: number; longest: number }>(`new Promise((resolve) => {
    const times = []
    const end = performance.now() + 4000
    const frame = (now) => {
      times.push(now)
      scrollBy(0, 120)
      if (scrollY + innerHeight >= document.documentElement.scrollHeight - 2) scrollTo(0, 0)
      if (now < end) return void requestAnimationFrame(frame)
      const gaps = times.slice(1).map((time, index) => time - times[index]).sort((a, b) => a - b)
      resolve({
        frames: times.length,
        ms: Math.round(now - times[0]),
        p95: Math.round(gaps[Math.floor(gaps.length * 0.95)]),
        longest: Math.round(gaps.at(-1)),
      })
    }
    requestAnimationFrame(frame)
  })`)

const home = temporaryHome()
const program = runProgram(['start', ...isolatedFlags(home), '--block-time', `${blockMs}ms`])
const { http = '' } = await program.ready()
const url = `${http}/`
const pid = program.child.pid ?? 0
const client = createRpcClient(http)
const browser = await startBrowser()

const [from, to] = await client.call<readonly string[]>('eth_accounts')
const sending = setInterval(
  () => void client.call('eth_sendTransaction', { from, to, value: '0x1' }).catch(() => {}),
  250,
)

const views = []
for (let count = 0; count < 5; count++) views.push(await firstView(browser, url))
print(
  'first contentful paint, ms (median of 5, nothing cached)',
  Math.round(median(views.map(({ paint }) => paint))),
)
print('bytes of the first view, compressed', median(views.map(({ bytes }) => bytes)))

const shares: Record<string, number[]> = { 'no page': [], [`${openPages} pages`]: [] }
for (let round = 0; round < 2; round++)
  for (const name of Object.keys(shares)) {
    const pages =
      name === 'no page'
        ? []
        : await Promise.all(Array.from({ length: openPages }, () => openPage(browser, url)))
    await Promise.all(pages.map(({ open }) => open('')))
    await pause(3000)
    const before = cpuMs(pid)
    await pause(cpuSeconds * 1000)
    shares[name]?.push(Math.round((cpuMs(pid) - before) / cpuSeconds) / 10)
    await Promise.all(pages.map(({ close }) => close()))
  }
print(`CPU of the node with a block every ${blockMs} ms, % of a core`, shares)

const live = await openPage(browser, url)
await live.open('')
await pause(20_000)
const heaps = [await heapBytes(live.page)]
const firstBlock = Number(await client.call('eth_blockNumber'))
for (let minute = 0; minute < minutes; minute++) {
  await pause(60_000)
  heaps.push(await heapBytes(live.page))
}
const blocks = Number(await client.call('eth_blockNumber')) - firstBlock
print(
  `heap of the page by minute, MB, over ${blocks} blocks`,
  heaps.map((bytes) => Number((bytes / 1e6).toFixed(2))),
)
print('errors of the page', live.faults)
await live.close()
clearInterval(sending)

await client.call('evm_setAutomine', false)
await client.call('evm_setIntervalMining', 0)
for (let at = 0; at < rows; at += 100)
  await Promise.all(
    Array.from({ length: 100 }, () =>
      client.call('eth_sendTransaction', { from, to, value: '0x1', gas: '0x5208' }),
    ),
  )
await client.call('anvil_mine', '0x1')
const number = Number(await client.call('eth_blockNumber'))
const table = await openPage(browser, url)
await table.open(`#/block/${number}`)
await table.page.getByRole('button', { name: 'More' }).click()
await table.page.waitForFunction(`document.querySelector('main table').ariaRowCount > ${rows}`)
await settle(table.page)
print(`scrolling a table of ${rows} rows`, await scroll(table.page))
print('errors of the table', table.faults)
await table.close()

await browser.close()
program.child.kill('SIGTERM')
await program.ended()
