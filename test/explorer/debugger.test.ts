import { rmSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { createRpcClient, type RpcClient } from '../support/rpc/rpcClient.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, startBrowser } from './browser.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'

interface StepsAnswer {
  readonly total: number
  readonly steps: readonly { readonly step: number; readonly code: string | null }[]
  readonly marks: readonly { readonly kind: string; readonly slot?: string }[]
}

describe.skipIf(!hasChromium)(`the debugger of the explorer${browserNote}`, slow, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let sample: SampleChain
  let client: RpcClient
  let url: string

  beforeAll(async () => {
    service = await startTestService(home)
    const http = service.urls().http ?? ''
    url = `${http}/`
    client = createRpcClient(http)
    ;[browser, sample] = await Promise.all([startBrowser(), fillChain(http)])
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  test('goes to a failure four calls deep, and steps on', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/tx/${sample.deepFailure}?tab=calls`)
    await page.getByRole('link', { name: 'Step through it' }).click()
    await page.getByRole('button', { name: 'failure', exact: true }).click()
    await page.getByText('depth 5').waitFor()
    await page.getByRole('heading', { name: 'REVERT' }).waitFor()
    const { total } = await client.call<StepsAnswer>('perihelion_traceSteps', sample.deepFailure, 0, 1)
    await page.keyboard.press('ArrowRight')
    await page.getByText('depth 4').waitFor()
    // The last step is in another piece than the first.
    await page.getByLabel(/ of /).fill(String(total - 1))
    await page.getByText(`step ${(total - 1).toLocaleString('en-US')} ·`).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('shows the line of Solidity at each step, for a second browser too', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/debug/${sample.deepFailure}`)
    await page.getByText('See the Solidity source').click()
    const choose = page.getByLabel('Build-info file')
    await choose.setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{}') })
    await page.getByText('does not have the input and the output').waitFor()
    await choose.setInputFiles({
      name: 'build.json',
      mimeType: 'application/json',
      buffer: Buffer.from(sample.buildInfo),
    })
    await page.getByRole('heading', { name: 'Link' }).waitFor()
    await page.getByRole('button', { name: 'Last failure' }).click()
    await close()

    const second = await openPage(browser, url)
    await second.open(`#/debug/${sample.deepFailure}`)
    await second.page.getByRole('heading', { name: 'Link' }).waitFor()
    const line = second.page.locator('.source [aria-current]')
    await second.page.getByRole('button', { name: 'failure', exact: true }).click()
    await second.page.getByRole('heading', { name: 'Token' }).waitFor()
    await expect.poll(() => line.textContent()).toContain('revert ERC20InsufficientBalance')
    // The failure goes up through the calls, of which each has its line.
    await second.page.getByRole('button', { name: 'return', exact: true }).click()
    await second.page.getByRole('heading', { name: 'Link' }).waitFor()
    await expect.poll(() => line.textContent()).toContain('token.transfer(msg.sender, amount)')
    expect([...faults, ...second.faults]).toEqual([])
    await second.close()
  })

  test('a failed transaction shows where in the source, and an error that only an inner contract has', async () => {
    await client.call('hardhat_addCompilationResult', '0.8', ...Object.values(JSON.parse(sample.buildInfo)))
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/tx/${sample.innerError}`)
    const notice = page.locator('.notice.bad')
    await expect.poll(() => notice.textContent()).toContain('NotAtThisHour')
    expect(await notice.textContent()).toMatch(/at Token\.close \(.*:\d+\).*at Link\.close \(.*:\d+\)/)
    expect(faults).toEqual([])
    await close()
  })

  test('goes from line to line with a key, into the calls', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    await open(`#/debug/${sample.deepFailure}`)
    const line = page.locator('.source [aria-current]')
    await line.waitFor()
    const seen: string[] = []
    for (let count = 0; count < 60; count++) {
      const text = (await line.textContent()) ?? ''
      seen.push(text)
      if (text.includes('if (balance < amount)')) break
      const at = page.url()
      await page.keyboard.press('s')
      await expect.poll(() => page.url()).not.toBe(at)
      // A key that is pressed while the next steps are loaded does nothing.
      const [, step = '0'] = /step=(\d+)/.exec(page.url()) ?? []
      await expect.poll(() => page.locator('input[type=range]').inputValue()).toBe(step)
      await line.waitFor()
    }
    expect(seen.some((text) => text.includes('next.go(amount)'))).toBe(true)
    expect(seen.at(-1)).toContain('if (balance < amount)')
    expect(faults).toEqual([])
    await close()
  })

  test('shows what was written to storage and leads there', async () => {
    const { page, faults, open, close } = await openPage(browser, url)
    const { total, marks, steps } = await client.call<StepsAnswer>(
      'perihelion_traceSteps',
      sample.transfer,
      0,
      1,
    )
    expect(marks.filter(({ kind }) => kind === 'store').every(({ slot }) => slot !== undefined)).toBe(true)
    expect(steps[0]?.code).toBe(sample.gold.toLowerCase())
    await open(`#/debug/${sample.transfer}?step=${total - 1}`)
    expect(await page.locator('.slots .badge', { hasText: 'written' }).count()).toBe(2)
    await page
      .locator('.slots li', { hasText: 'written' })
      .getByRole('button', { name: /^step/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'SSTORE' }).waitFor()
    expect(faults).toEqual([])
    await close()
  })

  test('any piece is the same, read from the record or replayed', async () => {
    const ask = (from: number) =>
      client.call<StepsAnswer>('perihelion_traceSteps', sample.deepFailure, from, 256)
    const first = await ask(0)
    const all: unknown[] = []
    for (let from = 0; from < first.total; from += 256) all.push(...(await ask(from)).steps)
    const { structLogs } = await client.call<{ structLogs: readonly { pc: number; stack: unknown }[] }>(
      'debug_traceTransaction',
      sample.deepFailure,
    )
    expect(all.map((step) => (step as { pc: number }).pc)).toEqual(structLogs.map(({ pc }) => pc))
    expect(all.map((step) => (step as { stack: unknown }).stack)).toEqual(
      structLogs.map(({ stack }) => stack),
    )
  })
})
