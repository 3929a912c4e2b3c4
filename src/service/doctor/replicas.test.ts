import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { PeerCall } from '../../chain/port/replicas.ts'
import type { Config } from '../../config/settings/settings.ts'
import { signAnswer } from '../../gateway/replicas/peerCall.ts'
import { checkReplicas } from './replicas.ts'

const peerToken = 'the secret of the replicas'

let server: Server
afterEach(() => server.close())

/** Whoever is here has the number that it is asked by. */
const serve = async (): Promise<string> => {
  server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const [call] = (JSON.parse(body) as { params: [PeerCall] }).params
    const result = signAnswer(peerToken, call, { result: 'a process' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const check = (replica: number, peers: Config['gateway']['peers'], isRunning = false) =>
  checkReplicas({ gateway: { replica, peers, peerToken } as Config['gateway'] }, isRunning)

test('the doctor asks the replicas, and finds one that has the number of this one', async () => {
  const url = await serve()
  const peers = [
    { replica: 1, url },
    { replica: 2, url: `${url}/2` },
    { replica: 3, url: 'http://127.0.0.1:1' },
  ]
  const away = { level: 'warning', text: expect.stringMatching(/^replica 3 does not answer: /) }
  const running = await check(1, peers, true)
  expect(running).toMatchObject([{ level: 'ok', text: 'replica 2 answers' }, away])
  const twin = { level: 'warning', text: 'another process answers as replica 1 at its URL' }
  expect(await check(1, peers)).toMatchObject([twin, { level: 'ok' }, away])
  expect(await check(9, [{ replica: 1, url }])).toMatchObject([
    { level: 'warning', text: 'gateway.peers has no entry of replica 9, which this is' },
    { level: 'ok' },
  ])
  expect(await check(1, [])).toEqual([])
})
