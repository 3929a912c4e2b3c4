import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'

/** Clients that send their requests and then that they send no more, as `nc -N` does. */
describe.each(readers)('a client that sends no more, read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer([], { reader })
  })
  afterAll(() => server.close())

  /** Sends, ends, and returns what comes until the server closes the connection. */
  const converse = async (sent: string): Promise<string> => {
    const raw = await RawSocket.open(server.http)
    raw.socket.end(sent)
    await raw.closed
    return raw.text
  }
  const sleep = (ms: number, id = 1): string => httpPost(toCallJson('test_sleep', [ms], id))
  const idsOf = (text: string): number[] =>
    [...text.matchAll(/"id":(\d+),"result"/g)].map(([, id]) => Number(id))

  test.each([
    ['at once', httpPost(toCallJson('test_echo', [1], 1)), [1]],
    ['that takes a while', sleep(300), [1]],
    [
      'behind another one',
      sleep(300, 1) + sleep(100, 2) + httpPost(toCallJson('test_echo', [1], 3)),
      [1, 2, 3],
    ],
    ['in more parts than one', httpPost(toCallJson('test_fill', [3_000_000], 1)) + sleep(50, 2), [1, 2]],
  ])('gets an answer %s', async (_, sent, ids) => {
    const text = await converse(sent)
    expect(idsOf(text)).toEqual(ids)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(ids.map(() => 'HTTP/1.1 200'))
  })

  test('gets the answers to all of many requests', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => index + 1)
    expect(idsOf(await converse(ids.map((id) => sleep(5, id)).join('')))).toEqual(ids)
  })

  test('is told of a request that it did not finish', async () => {
    const text = await converse(sleep(200) + sleep(0, 2).slice(0, -5))
    expect(text).toMatch(/HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n\r\n$/)
  })

  test('waits no longer than a few seconds, and its call ends with the connection', slow, async () => {
    const before = server.context.aborted
    expect(await converse(sleep(3_600_000))).toBe('')
    await eventually(() => server.context.aborted === before + 1)
  })
})
