import { readdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { browserNote, hasChromium, openPage, settle, startBrowser, type WatchedPage } from './browser.ts'
import { distort } from './distort.ts'
import { type Case, openAll } from './foreignCase.ts'
import { chainCases } from './foreignPlaces.ts'
import { toolCases } from './foreignTools.ts'
import { fillHostileChain } from './hostileChain.ts'
import {
  countMarks,
  findMarks,
  harmless,
  outcomeOf,
  type Payload,
  parts,
  payloads,
  sayer,
  together,
} from './planted.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'

const cases: readonly Case[] = [...chainCases, ...toolCases]

/** The views that draw figures and texts of the page's own alone. */
const withoutForeign: readonly string[] = ['overview/charts.tsx', 'notFound.tsx']

describe.skipIf(!hasChromium)(`strings of others on the explorer${browserNote}`, () => {
  const home = temporaryHome()
  let service: Service
  let browser: Browser
  let url: string

  beforeAll(async () => {
    ;[service, browser] = await Promise.all([startTestService(home), startBrowser()])
    url = `${service.urls().http}/`
  })
  afterAll(async () => {
    await browser?.close()
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  /** Opens a page that counts what runs. Without its policy, only the page itself keeps a string from running. */
  const openCounting = async (
    bypassCSP: boolean,
    prepare: (page: Page) => Promise<void> = async () => {},
    target = url,
  ): Promise<WatchedPage> => {
    const watched = await openPage(browser, target, { bypassCSP }, async (page) => {
      page.on('dialog', (dialog) => void dialog.dismiss())
      page.on('dialog', (dialog) => watched.faults.push(`dialog: ${dialog.message()}`))
      await page.addInitScript(countMarks)
      await prepare(page)
    })
    return watched
  }

  /** Pages that wait for their next test, without their policy and with it: a new one costs more than most of the tests. */
  const waiting = new Map<boolean, WatchedPage>()

  /** Leaves a page as a new one is. A test that fails keeps its page, so that no other sees what is left there. */
  const giveBack = async (bypassCSP: boolean, watched: WatchedPage): Promise<void> => {
    await watched.page.evaluate('localStorage.clear()')
    await watched.page.goto('about:blank')
    await watched.page.unrouteAll({ behavior: 'wait' })
    watched.faults.length = 0
    waiting.set(bypassCSP, watched)
  }

  const drawsAll = async (one: Case, payload: Payload, sample: SampleChain, bypassCSP: boolean) => {
    const { say, drawn } = sayer(payload)
    const watched = waiting.get(bypassCSP) ?? (await openCounting(bypassCSP))
    waiting.delete(bypassCSP)
    const { page } = watched
    await distort(page, one.lies(say, sample))
    await page.goto(`${url}${one.link(sample, say)}`)
    await settle(page)
    await one.act?.(page, say, sample)
    const missing = async (): Promise<readonly string[]> => {
      const found = new Set(await page.evaluate<string[]>(findMarks))
      return drawn.filter((mark) => !found.has(mark))
    }
    await expect.poll(missing).toEqual([])
    expect(await outcomeOf(watched)).toEqual(harmless)
    await giveBack(bypassCSP, watched)
  }

  test('a view has a case, or is named as one that has none', () => {
    const folder = fileURLToPath(new URL('../../explorer/views', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    )
    const known = [...new Set(cases.flatMap((one) => one.files)), ...withoutForeign]
    expect(known.sort()).toEqual(files.sort())
  })

  test('the validators of a lying node are drawn, and nothing runs', async () => {
    const [validators] = cases
    // This view needs nothing of the sample.
    await drawsAll(validators as Case, together, {} as SampleChain, true)
  })

  describe('with a chain', slow, () => {
    let sample: SampleChain

    beforeAll(async () => {
      sample = await fillChain(service.urls().http ?? '')
    })

    describe.each(cases)('$name', (one) => {
      test.each(Object.entries(payloads))('%s is drawn and does not run', async (_, payload) => {
        await drawsAll(one, payload, sample, true)
      })

      test('nor does anything try to run that the policy would refuse', async () => {
        await drawsAll(one, together, sample, false)
      })
    })

    test.each(Object.entries(payloads))('of messages over WebSocket, %s', async (_, payload) => {
      const { say, drawn } = sayer(payload)
      const watched = await openCounting(true, async (page) => {
        await page.routeWebSocket(/./, (socket) => {
          const message = say()
          socket.onMessage(() => {
            socket.send(say.hidden())
            const result = { number: say.hidden(), hash: say.hidden() }
            socket.send(JSON.stringify({ params: { result } }))
            socket.send(JSON.stringify({ id: 1, error: { message } }))
          })
        })
      })
      await watched.open('#/blocks')
      const found = () => watched.page.evaluate<string[]>(findMarks)
      await expect.poll(found).toEqual(expect.arrayContaining(drawn.slice(0, 1)))
      expect(await outcomeOf(watched)).toEqual(harmless)
      await watched.close()
    })
  })

  describe('of contracts on a real node, and of those who describe them to it', slow, () => {
    test.each(Object.entries(payloads))('%s', async (_, payload) => {
      const own = temporaryHome()
      const node = await startTestService(own)
      const nodeUrl = node.urls().http ?? ''
      const visits = await fillHostileChain(nodeUrl, payload)
      const watched = await openCounting(true, undefined, `${nodeUrl}/`)
      for (const { link, marks, button } of visits) {
        await watched.open(link)
        await openAll(watched.page)
        if (button !== undefined) await watched.page.getByRole('button', { name: button }).click()
        const missing = async () => {
          const found = new Set(await watched.page.evaluate<string[]>(findMarks))
          return { link, marks: marks.filter((mark) => !found.has(mark)) }
        }
        await expect.poll(missing).toEqual({ link, marks: [] })
        expect({ link, ...(await outcomeOf(watched)) }).toEqual({ link, ...harmless })
      }
      await watched.close()
      await node.close()
      rmSync(own, { recursive: true, force: true })
    })
  })

  /** What shows that a string ran, or was taken for HTML. */
  const signsOf = async (watched: WatchedPage): Promise<boolean> => {
    const { ran, foreign, faults } = await outcomeOf(watched)
    return ran.includes('m100') || (foreign.length > 0 && faults.some((fault) => fault.includes('m100')))
  }

  test('a page that takes a string for HTML is found out', async () => {
    const watched = await openCounting(true)
    await watched.open('')
    await watched.page.evaluate(
      `document.querySelector('main').innerHTML = ${JSON.stringify(parts['an image']('m100'))}`,
    )
    await expect.poll(() => watched.page.evaluate('ran')).toContain('m100')
    expect((await outcomeOf(watched)).foreign).not.toEqual([])
    await watched.close()
  })

  describe('the strings are harmful', slow, () => {
    test.each([
      'an image',
      'a drawing after an attribute',
      'a field',
      'a frame',
      'a sheet of styles',
      'a script after a title',
    ] as const)('%s runs, or asks another host, where it is HTML', async (name) => {
      const watched = await openCounting(true)
      await watched.open('')
      await watched.page.setContent(`<p title="${parts[name]('m100')}">${parts[name]('m100')}</p>`)
      await expect.poll(() => signsOf(watched)).toBe(true)
      await watched.close()
    })

    test('a link runs where it is one', async () => {
      const watched = await openCounting(true)
      await watched.open('')
      await watched.page.setContent(`<a href="${payloads['a link that runs']?.('m100')}">link</a>`)
      expect((await outcomeOf(watched)).foreign).toHaveLength(1)
      await watched.page.click('a')
      await expect.poll(() => watched.page.evaluate('ran')).toContain('m100')
      await watched.close()
    })

    test('the policy keeps a text from becoming HTML, and that it did is noticed', async () => {
      const watched = await openCounting(false)
      await watched.open('')
      const plant = watched.page.evaluate(
        `document.querySelector('main').innerHTML = ${JSON.stringify(parts['an image']('m100'))}`,
      )
      await expect(plant).rejects.toThrow('TrustedHTML')
      await expect
        .poll(() => watched.faults)
        .toContainEqual(expect.stringContaining('policy: require-trusted-types-for'))
      expect(await watched.page.evaluate('ran')).toEqual([])
      await watched.close()
    })
  })
})
