import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from '../../base/logging/log.ts'

/** The content of a page that is served to GET: health, metrics or the OpenRPC document. */
export interface PageContent {
  readonly status: number
  readonly type: string
  readonly body: string
}

export type Page = () => Promise<PageContent>

export class Pages {
  readonly #byPath: ReadonlyMap<string, Page>

  constructor(pages: Readonly<Record<string, Page>>) {
    this.#byPath = new Map(Object.entries(pages))
  }

  get paths(): readonly string[] {
    return [...this.#byPath.keys()]
  }

  find(url: string | undefined): Page | undefined {
    return this.#byPath.get((url ?? '').split('?', 1)[0] as string)
  }
}

/** Returns a page that gives the same content again as long as nothing in it changes, so that all who read it share its bytes. */
export const unchangedPage = (page: Page): Page => {
  let last: PageContent | undefined
  return async () => {
    const content = await page()
    const isSame = last?.status === content.status && last.type === content.type && last.body === content.body
    if (last === undefined || !isSame) last = content
    return last
  }
}

/** The pause after a page was rendered, in times of how long that took: strangers who ask for it get a fifth of a thread. */
const pauseFactor = 4

/**
 * Returns a page that takes a while to render, so that all who wait get the same content. It is never older than the
 * request: whoever asks while it is being rendered gets the next one. `pauses` is how long the next rendering waits, in
 * times of the last: 0 where whoever renders it pauses.
 */
export const sharedPage = (page: Page, pauses = pauseFactor): Page => {
  const render = unchangedPage(page)
  let last: Promise<unknown> = Promise.resolve()
  let next: Promise<PageContent> | undefined
  /** When the next rendering may begin. */
  let from = 0
  const renderAfter = async (before: Promise<unknown>): Promise<PageContent> => {
    await before
    const pauseMs = from - performance.now()
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    next = undefined
    const startedAt = performance.now()
    try {
      return await render()
    } finally {
      const endedAt = performance.now()
      from = endedAt + pauses * (endedAt - startedAt)
    }
  }
  return () => {
    if (next !== undefined) return next
    const rendering = renderAfter(last)
    next = rendering
    last = rendering.catch(() => {})
    return rendering
  }
}

export const jsonPage = (status: number, value: unknown): PageContent => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})

/** The bytes of contents. A text would be copied for each client, and kept until the client has read it. */
const bytesOfContents = new WeakMap<PageContent, Buffer>()

const bytesOf = (content: PageContent): Buffer => {
  const known = bytesOfContents.get(content)
  if (known !== undefined) return known
  const bytes = Buffer.from(content.body)
  bytesOfContents.set(content, bytes)
  return bytes
}

/** Answers a GET with a page. `onWritten` gets the number of its bytes, which the client may not have read. */
export const sendPage = (
  page: Page,
  request: IncomingMessage,
  response: ServerResponse,
  log: Pick<Logger, 'error'>,
  onWritten?: (bytes: number) => void,
): void => {
  page().then(
    (content) => {
      const { status, type } = content
      const bytes = bytesOf(content)
      const headers = {
        'Content-Type': type,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      }
      response.writeHead(status, headers).end(bytes)
      onWritten?.(bytes.length)
    },
    (error: unknown) => failPage(error, request, response, log),
  )
}

/** Ends a GET that failed here. */
export const failPage = (
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
  log: Pick<Logger, 'error'>,
): void => {
  // Without the query and the first part of the path, which may be keys.
  const page = request.url?.split('?', 1)[0]?.replace(/^\/[^/]+(?=\/)/, '')
  log.error({ err: error, page }, 'failed to render a page')
  if (response.headersSent) response.destroy()
  else response.writeHead(500).end()
}
