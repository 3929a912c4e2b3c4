import type { WatchedPage } from './browser.ts'
import type { Say } from './foreignCase.ts'

/** Strings that would run where they are not text. Each has the mark of its place, which is also what it would run. */
export const parts = {
  'an image': (mark: string) => `${mark}<img src=x onerror=${mark}>`,
  'a drawing after an attribute': (mark: string) => `${mark}"><svg onload=${mark}>`,
  'a field': (mark: string) => `<input autofocus onfocus=${mark}>`,
  'a frame': (mark: string) => `<iframe srcdoc="<script>parent.${mark}</script>"></iframe>`,
  'a sheet of styles': (mark: string) => `<style>@import '//${mark}/';</style>`,
  'a script after a title': (mark: string) => `</title></textarea><script>${mark}</script>`,
  'what others take for a template or a style': (mark: string) =>
    `\${${mark}}{{${mark}}};background:url(//${mark}/)' onclick='${mark}`,
}

export const together = (mark: string): string =>
  [...Object.values(parts).slice(1), parts['an image']].map((part) => part(mark)).join('')

export const payloads: Readonly<Record<string, (mark: string) => string>> = {
  'HTML of every kind': together,
  'a link that runs': (mark) => `javascript:${mark}`,
  'text turned around': (mark) => `${mark}\u202E\u200B<b onclick=${mark}>\u001B[31m`,
}

export type Payload = (mark: string) => string

const marksIn = 'm\\d{3}(?!\\d)'

/** Code for the page: whatever runs reads its mark, and that is counted. */
export const countMarks = `globalThis.ran = []
for (let at = 100; at < 200; at++)
  Object.defineProperty(globalThis, 'm' + at, { get: () => void globalThis.ran.push('m' + at) })`

/** Code for the page: the marks that stand in a text, or in the whole of a value that is shown short or in a field. */
export const findMarks = `(() => {
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

/** Code for the page: texts with characters that turn others around, are not seen, or that a terminal obeys. */
const findTurned = `(() => {
  const isTurned = (text) => /[\\u202E\\u200B\\u001B]/.test(text ?? '')
  const found = [document.title].filter(isTurned)
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (walk.nextNode())
    if (isTurned(walk.currentNode.data)) found.push(walk.currentNode.parentElement.outerHTML.slice(0, 200))
  for (const one of document.querySelectorAll('[title], [aria-label], [placeholder]'))
    if (['title', 'aria-label', 'placeholder'].some((name) => isTurned(one.getAttribute(name))))
      found.push(one.outerHTML.slice(0, 200))
  return found
})()`

export interface Outcome {
  readonly ran: readonly string[]
  readonly foreign: readonly string[]
  readonly turned: readonly string[]
  readonly faults: readonly string[]
}

export const harmless: Outcome = { ran: [], foreign: [], turned: [], faults: [] }

export const outcomeOf = async ({ page, faults }: WatchedPage): Promise<Outcome> => ({
  ran: await page.evaluate<string[]>('ran'),
  foreign: await page.evaluate<string[]>(findForeign),
  turned: await page.evaluate<string[]>(findTurned),
  faults,
})

/** Marks the strings of a page, one mark for each place. */
export const sayer = (payload: Payload) => {
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
