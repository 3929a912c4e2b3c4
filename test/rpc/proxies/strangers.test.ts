import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/rpc/access/token.ts'
import { findProxy, proxyKinds } from '../../support/programs/proxyProcess.ts'
import { createRandom } from '../../support/random.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { type ReusingProxy, startProxy } from '../reuse/proxies.ts'
import { requestCases } from '../reuse/requests.ts'
import { atOnce, type ReuseServer, startReuseServer, unlessStuck } from '../reuse/reuseServer.ts'
import { createStream, type Stream } from './streams.ts'

/**
 * One client sends streams of odd and hostile requests; another one asks meanwhile. Their requests share the connections between
 * the proxy and the server. Each answer of the other client is its own, and comes.
 */

const seed = Number(process.env.SEED ?? 1)
const streamCount = Number(process.env.STREAMS ?? 120)
const requestCount = Number(process.env.REQUESTS ?? 180)

const statusLine = /HTTP\/1\.1 (?!100)\d{3} /

/** Sends a stream and leaves the connection as it says; returns it. */
const send = async (target: string, { pieces, end }: Stream): Promise<RawSocket> => {
  const raw = await RawSocket.open(target)
  for (const piece of pieces) {
    if (raw.socket.destroyed) break
    raw.send(Buffer.from(piece, 'latin1'))
    await turn()
  }
  if (end === 'half closed') raw.socket.end()
  if (end === 'closed after an answer')
    // Not every stream has one: that of a later request comes all the same.
    await Promise.race([raw.receive(statusLine).catch(() => ''), ask(target, 'after it')])
  if (end !== 'left open') raw.close()
  return raw
}

const ask = async (target: string, text: string): Promise<string> => {
  const raw = await RawSocket.open(target)
  const bytes = httpPost(toCallJson('test_echo', [text]), ['Connection: close'])
  const answer = await unlessStuck(raw.send(bytes).receive(/"result":|"error":|^HTTP\/1\.1 [^12]/))
  raw.close()
  return answer ?? 'stuck'
}

describe.each(proxyKinds)('a stranger behind the same proxy: %s', (kind) => {
  if (findProxy(kind) === undefined) {
    test.skip(`does not touch the answers of others (${kind} is not installed)`, () => {})
    return
  }
  let server: ReuseServer
  let proxy: ReusingProxy
  beforeAll(async () => {
    server = await startReuseServer('us', ['--json-rpc.trusted-proxies=127.0.0.1'])
    proxy = await startProxy(kind, Number(new URL(server.http).port))
  })
  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  test('does not touch the answers of others', slow, async () => {
    const random = createRandom(seed)
    const cases = requestCases(createToken(server.secret, Date.now(), 600))
    const streams = Array.from({ length: streamCount }, () => createStream(cases, random))
    let isOver = false
    const opened: RawSocket[] = []
    const attack = atOnce(
      streams,
      async (stream) => {
        opened.push(await send(proxy.target, stream))
      },
      4,
    ).finally(() => {
      isOver = true
    })
    let asked = 0
    const requests = Array.from({ length: requestCount }, (_, index) => `request ${index}`)
    const askAll = async (): Promise<void> => {
      await atOnce(
        requests,
        async (text) => {
          asked++
          expect(await ask(proxy.target, text)).toContain(`"result":"${text}"`)
        },
        4,
      )
    }
    do await askAll()
    while (!isOver)
    await attack
    for (const raw of opened) raw.close()
    await askAll()
    expect(asked).toBeGreaterThanOrEqual(2 * requestCount)
  })

  test('is never local, whatever address it names', async () => {
    for (const client of ['::1', '127.0.0.1', '127.0.0.2', '[::1]:99', '::ffff:127.0.0.2', 'localhost']) {
      const raw = await RawSocket.open(proxy.target)
      const bytes = httpPost(toCallJson('test_sign'), [`X-Forwarded-For: ${client}`, 'Connection: close'])
      const answer = await raw.send(bytes).receive(/"error":\{[^}]*\}|"result"/)
      expect([client, answer]).toEqual([client, expect.stringContaining('"code":4100')])
      raw.close()
    }
  })
})
