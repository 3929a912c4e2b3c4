import { expect, test } from 'vitest'
import type { PageContent } from '../../rpc/transport/pages.ts'
import { pagesOf } from './servingServer.ts'

test('the main process is asked for a page once at a time, however many clients wait for it', async () => {
  const asked: ((content: PageContent) => void)[] = []
  const main = { page: () => new Promise<PageContent>((resolve) => asked.push(resolve)) }
  const page = pagesOf(['/openrpc.json'], main).find('/openrpc.json')
  const waiting = Array.from({ length: 1000 }, () => page?.())
  await expect.poll(() => asked.length).toBe(1)
  // These may not get what was requested before they came.
  const later = Array.from({ length: 1000 }, () => page?.())
  asked[0]?.({ status: 200, type: 'text/plain', body: 'first' })
  expect(new Set(await Promise.all(waiting)).size).toBe(1)
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.({ status: 200, type: 'text/plain', body: 'second' })
  expect(new Set((await Promise.all(later)).map((content) => content?.body))).toEqual(new Set(['second']))
  expect(asked).toHaveLength(2)
})
