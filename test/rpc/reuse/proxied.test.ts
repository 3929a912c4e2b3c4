import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createToken } from '../../../src/rpc/access/token.ts'
import { findProxy, proxyKinds } from '../../support/programs/proxyProcess.ts'
import { RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { type ReusingProxy, startProxy } from './proxies.ts'
import { followUp, followUpAnswer, requestCases, someOf } from './requests.ts'
import { type ReuseServer, startReuseServer, unlessStuck } from './reuseServer.ts'

const hasAnswer = /HTTP\/1\.1 (?!100)\d{3} /
const isSettled = new RegExp(`${followUpAnswer}|^HTTP/1\\.1 [^2]`)

/** Sends a request on a connection of its own, and returns all that came when `wanted` did. */
const ask = async (target: string, bytes: string, wanted: RegExp): Promise<string> => {
  const raw = await RawSocket.open(target)
  const answer = await unlessStuck(raw.send(bytes).receive(wanted))
  raw.close()
  return answer ?? 'stuck'
}

describe.each(['ours', ...proxyKinds] as const)('behind a proxy that reuses connections: %s', (kind) => {
  const isInstalled = kind === 'ours' || findProxy(kind) !== undefined
  if (!isInstalled) {
    test.skip(`the request of another client is answered (${kind} is not installed)`, () => {})
    return
  }
  let server: ReuseServer
  let proxy: ReusingProxy
  beforeAll(async () => {
    server = await startReuseServer('us')
    proxy = await startProxy(kind, Number(new URL(server.http).port))
  })
  afterAll(async () => {
    await proxy.close()
    await server.close()
  })

  const checkAll = async (choose: typeof someOf): Promise<void> => {
    for (const { name, bytes } of choose(requestCases(createToken(server.secret, Date.now(), 600)))) {
      // The proxy may refuse it by itself, or close the connection of this client.
      const first = await ask(proxy.target, bytes, hasAnswer).catch(() => 'closed')
      expect([name, first]).not.toEqual([name, 'stuck'])
      const next = await ask(proxy.target, followUp, isSettled)
      expect([name, next]).toEqual([name, expect.stringContaining(followUpAnswer)])
    }
  }

  test('the request of another client is answered after any request', () => checkAll(someOf))
  test('the same of all cases', slow, () => checkAll((all) => all))
})
