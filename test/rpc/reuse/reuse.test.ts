import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/rpc/access/token.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { countOccurrences, httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { readers } from '../../support/testServer.ts'
import { followUp, followUpAnswer, refusedUpgrades, requestCases, someOf, unfinished } from './requests.ts'
import { atOnce, type ReuseServer, startReuseServer, unlessStuck } from './reuseServer.ts'

/** A status line other than that of 100 Continue. */
const statusLine = /HTTP\/1\.1 (?!100)\d{3} /

type Outcome = 'answered' | 'closed' | 'stuck' | 'closed without a word'

/** Sends a request and another one after its answer, or right behind it, and returns what becomes of the second. */
const send = async (url: string, bytes: string, isPipelined: boolean): Promise<Outcome> => {
  const raw = await RawSocket.open(url)
  const answered = async (): Promise<Outcome> => {
    raw.send(isPipelined ? bytes + followUp : bytes)
    try {
      await raw.receive(statusLine)
      if (!isPipelined) raw.send(followUp)
      await raw.receive((text) => text.includes(followUpAnswer))
      return 'answered'
    } catch {
      return /^connection: close\r$/im.test(raw.text) ? 'closed' : 'closed without a word'
    }
  }
  const outcome = await unlessStuck(answered())
  raw.close()
  return outcome ?? 'stuck'
}

describe.each(readers)('a connection after any request, read by %s', (reader) => {
  let server: ReuseServer
  beforeAll(async () => {
    server = await startReuseServer(reader)
  })
  afterAll(() => server.close())

  const checkAll = async (choose: typeof someOf, isPipelined: boolean): Promise<void> => {
    const cases = choose(requestCases(createToken(server.secret, Date.now(), 600)))
    const outcomes = new Map<Outcome, string[]>()
    await atOnce(cases, async ({ name, bytes }) => {
      // Each takes long to find out.
      if (outcomes.has('stuck')) return
      const outcome = await send(server.http, bytes, isPipelined)
      outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), name])
    })
    expect(outcomes.get('stuck') ?? []).toEqual([])
    expect(outcomes.get('closed without a word') ?? []).toEqual([])
    // Both happen, or the requests are not what they should be.
    expect(outcomes.get('answered')?.length).toBeGreaterThan(cases.length / 10)
    expect(outcomes.get('closed')?.length).toBeGreaterThan(cases.length / 100)
  }

  for (const isPipelined of [false, true]) {
    const when = isPipelined ? 'pipelined' : 'after the answer'
    test(`the next request, ${when}, is answered or the connection is closed`, () =>
      checkAll(someOf, isPipelined))
    test(`the same of all cases, ${when}`, { ...slow, timeout: 900_000 }, () =>
      checkAll((all) => all, isPipelined),
    )
  }

  test('a GET of an unknown path leaves the connection usable, many times', async () => {
    const raw = await RawSocket.open(server.http)
    for (let count = 1; count <= 20; count++) {
      raw.send('GET /unknown HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await raw.receive((text) => countOccurrences(text, 'HTTP/1.1 405') === count)
      raw.send(httpPost(toCallJson('test_echo', [`answer ${count}`])))
      await raw.receive((text) => text.includes(`"answer ${count}"`))
    }
    raw.close()
  })

  test.each(Object.entries(refusedUpgrades))('an upgrade %s closes the connection', async (_, bytes) => {
    const raw = await RawSocket.open(server.http)
    raw.send(bytes + followUp)
    await raw.closed
    expect(raw.text).not.toContain(followUpAnswer)
  })

  test.each(Object.entries(unfinished))('%s that ends early closes the connection', async (_, bytes) => {
    const raw = await RawSocket.open(server.http)
    raw.send(bytes)
    raw.socket.end()
    await raw.closed
    expect(raw.text).not.toContain('"result"')
  })
})
