import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'

/** Connections that send too little, each with what it sends at once and what it is told before it is closed. */
const request = httpPost(toCallJson('test_echo', [1]))
const timedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const cases: readonly (readonly [name: string, sent: string, told: RegExp])[] = [
  ['nothing', '', new RegExp(`^${timedOut}$`)],
  ['the beginning of a head', request.slice(0, 30), new RegExp(`^${timedOut}$`)],
  ['the beginning of a body', request.slice(0, -5), new RegExp(`^${timedOut}$`)],
  ['a request and no other', request, /"result":1\}$/],
  [
    'a request and the beginning of another',
    request + request.slice(0, -5),
    new RegExp(`"result":1\\}${timedOut}$`),
  ],
]

describe.each(readers)('what a connection is told that sends too little, read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    const limits = ['http-header-timeout=300ms', 'http-timeout=400ms', 'http-idle-timeout=300ms']
    server = await startTestServer(
      limits.map((limit) => `--json-rpc.${limit}`),
      { reader },
    )
  })
  afterAll(() => server.close())

  test.concurrent.each(cases)('%s', async (_, sent, told) => {
    const raw = await RawSocket.open(server.http)
    raw.send(sent)
    await raw.closed
    expect(raw.text).toMatch(told)
  })

  test.concurrent.each([
    ['a head', 'POST / HTTP/1.1\r\nHost: localhost\r\nX-A: '],
    ['a body', httpPost(toCallJson('test_echo', ['x'.repeat(5000)])).slice(0, 200)],
  ])('%s that comes byte by byte', async (_, begun) => {
    const raw = await RawSocket.open(server.http)
    raw.send(begun)
    const drip = setInterval(() => raw.send('a'), 20)
    await raw.closed
    clearInterval(drip)
    expect(raw.text).toBe(timedOut)
  })

  test('a request may come in two parts, again and again', async () => {
    const raw = await RawSocket.open(server.http)
    for (let round = 1; round <= 5; round++) {
      const [head = '', body = ''] = httpPost(toCallJson('test_echo', [round], round)).split(/(?<=\r\n\r\n)/)
      raw.send(head)
      await new Promise((resolve) => setTimeout(resolve, 5))
      raw.send(body)
      await raw.receive((text) => text.includes(`"id":${round},"result":${round}`))
    }
    raw.close()
  })
})
