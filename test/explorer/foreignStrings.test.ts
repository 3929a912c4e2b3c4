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
import { type Case, cases, type Say, withoutCase } from './foreignPlaces.ts'
import { fillChain, type SampleChain } from './sampleChain.ts'

/** Strings that would run where they are no text. Each has the mark of its place, which is also what it would run. */
const parts = {
  'an image': (mark: string) => `${mark}<img src=x onerror=${mark}>`,
  'a drawing after an attribute': (mark: string) => `${mark}"><svg onload=${mark}>`,
  'a field': (mark: string) => `<input autofocus onfocus=${mark}>`,
  'a frame': (mark: string) => `<iframe srcdoc="<script>parent.${mark}</script>"></iframe>`,
  'a sheet of styles': (mark: string) => `<style>@import '//${mark}.test/';</style>`,
  'a script after a title': (mark: string) => `</title></textarea><script>${mark}</script>`,
  'what others take for a template or a style': (mark: string) =>
    `\${${mark}}{{${mark}}};background:url(//${mark}.test/)' onclick='${mark}`,
}

const together = (mark: string): string =>
  [...Object.values(parts).slice(1), parts['an image']].map((part) => part(mark)).join('')

const payloads: Readonly<Record<string, (mark: string) => string>> = {
  'HTML of every kind': together,
  'a link that runs': (mark) => `javascript:${mark}`,
  'text turned around': (mark) => `${mark}\u202E<b onclick=${mark}>\u001B[31m`,
}

type Payload = (mark: string) => string

const marksIn = 'm\\d{3}(?!\\d)'

/** Code for the page: whatever runs reads its mark, and that is counted. */
const countMarks = `globalThis.ran = []
for (let at = 100; at < 200; at++)
  Object.defineProperty(globalThis, 'm' + at, { get: () => void globalThis.ran.push('m' + at) })`

/** Code for the page: the marks that stand in a text, or in the whole of a value that is shown short or in a field. */
const findMarks = `(() => {
  const texts = [document.title]
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode()) texts.push(walk.currentNode.data)
  for (const one of document.querySelectorAll('.mono[title], option')) texts.push(one.title, one.value)
  return [...new Set(texts.join(' ').match(/${marksIn}/g) ?? [])].sort()
})()`

/** Code for the page: elements and attributes that the page itself never has. */
const findForeign = `[...document.querySelectorAll(
  'img, iframe, [autofocus], body script, body style, b, [onload], [onerror], [onfocus], [onclick], ' +
  '[href^="javascript:" i], [src^="javascript:" i], [style*="url("]'
)].map((one) => one.outerHTML.slice(0, 200))`

/** Code for the page: texts with characters that turn others around, or that a terminal obeys. */
const findTurned = `(() => {
  const found = []
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode())
    if (/[\\u202E\\u001B]/.test(walk.currentNode.data)) found.push(walk.currentNode.parentElement.outerHTML)
  return found
})()`

interface Outcome {
  readonly ran: readonly string[]
  readonly foreign: readonly string[]
  readonly turned: readonly string[]
  readonly faults: readonly string[]
}

const harmless: Outcome = { ran: [], foreign: [], turned: [], faults: [] }

const outcomeOf = async ({ page, faults }: WatchedPage): Promise<Outcome> => ({
  ran: await page.evaluate<string[]>('ran'),
  foreign: await page.evaluate<string[]>(findForeign),
  turned: await page.evaluate<string[]>(findTurned),
  faults,
})

/** Marks the strings of a page, one mark for each place. */
const sayer = (payload: Payload) => {
  const drawn: string[] = []
  let count = 100
  const hidden = (): string => payload(`m${count++}`)
  const say: Say = Object.assign(
    () => {
      drawn.push(`m${count}`)
      return hidden()
    },
    { hidden },
  )
  return { say, drawn }
}

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
  ): Promise<WatchedPage> => {
    const watched = await openPage(browser, url, { bypassCSP }, async (page) => {
      page.on('dialog', (dialog) => void dialog.dismiss())
      page.on('dialog', (dialog) => watched.faults.push(`dialog: ${dialog.message()}`))
      await page.addInitScript(countMarks)
      await prepare(page)
    })
    return watched
  }

  const drawsAll = async (one: Case, payload: Payload, sample: SampleChain, bypassCSP: boolean) => {
    const { say, drawn } = sayer(payload)
    const watched = await openCounting(bypassCSP, async (page) => distort(page, one.lies(say, sample)))
    const { page, close } = watched
    await page.goto(`${url}${one.link(sample, say)}`)
    await settle(page)
    await one.act?.(page, say, sample)
    const missing = async (): Promise<readonly string[]> => {
      const found = new Set(await page.evaluate<string[]>(findMarks))
      return drawn.filter((mark) => !found.has(mark))
    }
    await expect.poll(missing, { timeout: 20_000 }).toEqual([])
    expect(await outcomeOf(watched)).toEqual(harmless)
    await close()
  }

  test('a view has a case, or is named as one that has none', () => {
    const folder = fileURLToPath(new URL('../../explorer/views', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.tsx'),
    )
    const known = [...new Set(cases.flatMap((one) => one.files)), ...withoutCase]
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

  describe('a page that would take a string for HTML is found out', slow, () => {
    const plant = (payload: Payload) =>
      `document.querySelector('main').innerHTML = ${JSON.stringify(payload('m100'))}`

    test.each(['an image'] as const)('%s runs', async (name) => {
      const watched = await openCounting(true)
      await watched.open('')
      await watched.page.evaluate(plant(parts[name]))
      await expect.poll(() => watched.page.evaluate('ran')).toContain('m100')
      const { foreign } = await outcomeOf(watched)
      expect(foreign).not.toEqual([])
      await watched.close()
    })
  })
})
