import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { PeerCall } from '../../chain/port/replicas.ts'
import { Peer, PeerAwayError, PeerRefusedError } from './peer.ts'
import { signAnswer, signCall } from './peerCall.ts'
import { Replicas } from './replicas.ts'

const token = 'the secret of the replicas'
const never = new AbortController().signal
const request = { timeoutMs: 10_000, signal: never }

let servers: Server[] = []
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers = []
})

const serve = async (answer: (call: PeerCall, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(async (asked: IncomingMessage, response) => {
    let body = ''
    for await (const piece of asked) body += piece
    const [call] = (JSON.parse(body) as { params: [PeerCall] }).params
    answer(call, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const send = (response: ServerResponse, answer: object): void => {
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
}

const sendSigned = (call: PeerCall, response: ServerResponse): void =>
  send(response, { result: signAnswer(token, call, { result: 7 }) })

const callOf = (now: number): PeerCall =>
  signCall(token, { from: 1, to: 2, time: now, call: '["eth_chainId",[]]' })

test('an answer that is longer than it may be is not read to its end, whatever its header says', async () => {
  const url = await serve((_, response) => {
    // Without a length; the client ends it.
    const write = (): void => {
      while (response.write(Buffer.alloc(100_000, 0x20)));
    }
    response.on('drain', write)
    write()
  })
  const peer = new Peer({ replica: 2, url, token, now: Date.now, maxAnswerBytes: 1_000_000 })
  await expect(peer.call(callOf(Date.now()), request)).rejects.toThrow('replica 2 does not answer')
})

test('how long a replica is away counts only while it is asked', async () => {
  let now = 1_000_000
  const peer = new Peer({ replica: 2, url: 'http://127.0.0.1:1', token, now: () => now })
  const fail = async (after: number): Promise<number> => {
    now += after
    await expect(peer.call(callOf(now), request)).rejects.toThrow(PeerAwayError)
    return peer.awayMs
  }
  expect(await fail(0)).toBe(0)
  expect(await fail(20_000)).toBe(20_000)
  expect(await fail(20_000)).toBe(40_000)
  // It may have been back in these ten minutes.
  expect(await fail(600_000)).toBe(0)
  expect(await fail(20_000)).toBe(20_000)
})

const logged: string[] = []
const log = {
  info: (_: object, text: string) => void logged.push(text),
  warn: (_: object, text: string) => void logged.push(text),
} as never

const open = (self: number, url: string, now = Date.now): Replicas =>
  new Replicas({
    self,
    peers: new Map([[2, url]]),
    token,
    goneAfterMs: 1_000,
    exportBlocks: () => undefined,
    log,
    now,
  })

test('a replica that refuses is away, and the log says so once', async () => {
  logged.length = 0
  let code: number | undefined = 4_100
  const url = await serve((call, response) =>
    code === undefined ? sendSigned(call, response) : send(response, { error: { code, message: 'no' } }),
  )
  const replicas = open(1, url)
  for (const refusal of [4_100, -32_601, -32_002, -32_603]) {
    code = refusal
    await expect(replicas.ask(2, 'eth_chainId', [], request)).rejects.toThrow(PeerRefusedError)
  }
  // It is there: its filters have not expired.
  expect(replicas.isGone(2)).toBe(false)
  expect(logged).toEqual(['another replica refuses what it is asked'])
  code = -32_005
  expect(await replicas.ask(2, 'eth_chainId', [], request)).toEqual({ error: { code, message: 'no' } })
  code = undefined
  expect(await replicas.ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(logged).toHaveLength(2)
})

test('an answer without the signature of a replica is none', async () => {
  const url = await serve((_, response) => send(response, { result: 7 }))
  await expect(open(1, url).ask(2, 'eth_chainId', [], request)).rejects.toThrow('replica 2 does not answer')
})

test('a call is taken once', () => {
  let now = 1_000_000
  const replicas = open(2, 'http://127.0.0.1:1', () => now)
  now += 120_000
  // Of a clock that is ahead.
  const calls = [callOf(now + 59_000), callOf(now + 59_000)]
  for (const call of calls) expect(replicas.findFault(call)).toBeUndefined()
  for (const later of [0, 50_000, 50_000, 19_000]) {
    now += later
    for (const call of calls) expect(replicas.findFault(call)?.reason).toBe('it was answered before')
  }
  now += 1_001
  expect(replicas.findFault(calls[0] as PeerCall)?.reason).toMatch(/^it is not of this minute/)
})

test('a call that the process before may have answered is not answered again, and is made anew by who needs it', async () => {
  let now = 1_000_000
  const nowhere = 'http://127.0.0.1:1'
  const before = open(2, nowhere, () => now)
  now += 120_000
  // The second is of a clock that is ahead.
  const calls = [callOf(now), callOf(now + 59_000)]
  for (const call of calls) expect(before.findFault(call)).toBeUndefined()
  now += 1_000
  const restarted = open(2, nowhere, () => now)
  for (const call of calls)
    expect(restarted.findFault(call)).toEqual({
      reason: expect.stringContaining('just started'),
      instance: expect.any(String),
    })
  const asked: PeerCall[] = []
  const url = await serve((call, response) => {
    asked.push(call)
    const fault = restarted.findFault(call)
    if (fault === undefined) return sendSigned(call, response)
    const { reason: message, instance } = fault
    send(response, { error: { code: 4_100, message, data: { instance } } })
  })
  const caller = open(1, url, () => now)
  expect(await caller.ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(asked).toHaveLength(2)
  const [, taken] = asked as [PeerCall, PeerCall]
  expect(restarted.findFault(taken)?.reason).toBe('it was answered before')
  expect(restarted.findFault({ ...(calls[0] as PeerCall), instance: taken.instance })?.reason).toBe(
    'the token is another one',
  )
  // It is for that process alone.
  expect(open(2, nowhere, () => now).findFault(taken)?.instance).toBeDefined()
  now += 60_001
  expect(await caller.ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(asked).toHaveLength(3)
})
