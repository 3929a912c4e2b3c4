import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { defineMethod } from '../../../src/rpc/method.ts'
import type { Page, PageContent } from '../../../src/rpc/transport/pages.ts'
import { plainType } from '../../../src/rpc/wireType.ts'
import { eventually } from '../../support/eventually.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { openConnections, readGauge } from '../../support/rpc/gauges.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import type { TestContext } from '../../support/rpc/testMethods.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

const content: PageContent = { status: 200, type: 'text/plain', body: 'x'.repeat(10_000) }
const get = 'GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** How many requests were run. */
let run = 0
const count = defineMethod<TestContext>()({
  name: 'test_count',
  summary: 'For tests.',
  access: 'public',
  params: [],
  result: { name: 'result', type: plainType(z.number()) },
  examples: [],
  handler: () => ++run,
})

let server: TestServer
const start = async (page: Page): Promise<void> => {
  run = 0
  server = await startTestServer([], { methods: [count], pages: { '/page': page }, reader: 'node:http' })
}
const usedMemory = (): Promise<number> =>
  readGauge(server.registry, 'perihelion_rpc_memory_bytes', { what: 'used' })

/** Waits until all that is under way has had its turn. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await nextTurn()
}

afterEach(() => server.close())

test('pages that are ready after their client has left give their memory back', async () => {
  let finish = (): void => {}
  const ready = new Promise<void>((resolve) => {
    finish = resolve
  })
  await start(async () => {
    run++
    await ready
    return content
  })
  const raw = await RawSocket.open(server.http)
  raw.send(get.repeat(300))
  await eventually(() => run === 300)
  raw.socket.resetAndDestroy()
  await eventually(async () => (await openConnections(server.registry)) === 0)
  finish()
  await turns()
  expect(await usedMemory()).toBe(0)
})

test.each([
  ['GETs', get, 600],
  ['POSTs', httpPost(toCallJson('test_count')), 300],
])('pipelined %s that wait for their turn are not run once their client has left', async (_, one, sent) => {
  await start(async () => {
    run++
    return content
  })
  const raw = await RawSocket.open(server.http)
  raw.send(one.repeat(sent))
  raw.socket.resetAndDestroy()
  await raw.closed
  await eventually(async () => run > 0 && (await openConnections(server.registry)) === 0)
  const before = run
  await turns()
  expect(run).toBe(before)
  expect(run).toBeLessThan(sent)
  expect(await usedMemory()).toBe(0)
})
