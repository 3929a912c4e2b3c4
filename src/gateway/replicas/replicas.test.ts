import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import type { PeerCall } from '../../chain/port/replicas.ts'
import { Peer, PeerAwayError, PeerRefusedError } from './peer.ts'
import { signAnswer, signCall } from './peerCall.ts'
import { Replicas } from './replicas.ts'

const token = 'the secret of the replicas'
const nowhere = 'http://127.0.0.1:1'
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
  const peer = new Peer({ self: 1, replica: 2, url, token, now: Date.now, maxAnswerBytes: 1_000_000 })
  await expect(peer.call('eth_chainId', [], request)).rejects.toThrow(
    'replica 2 does not answer: it sends too much',
  )
})

test('how long a replica is away counts only while it is asked', async () => {
  let now = 1_000_000
  const peer = new Peer({ self: 1, replica: 2, url: 'http://127.0.0.1:1', token, now: () => now })
  const fail = async (after: number): Promise<number> => {
    now += after
    await expect(peer.call('eth_chainId', [], request)).rejects.toThrow(PeerAwayError)
    return peer.awayMs
  }
  expect(await fail(0)).toBe(0)
  expect(await fail(20_000)).toBe(20_000)
  expect(await fail(20_000)).toBe(40_000)
  // It may have been back in these ten minutes.
  expect(await fail(600_000)).toBe(0)
  expect(await fail(20_000)).toBe(20_000)
})

test('a replica that is too slow for calls of little time is asked what it has more time for', async () => {
  let hastyCalls = 0
  const url = await serve((call, response) => {
    if (call.call.includes('eth_getTransactionCount')) hastyCalls++
    else sendSigned(call, response)
  })
  const peer = new Peer({ self: 1, replica: 2, url, token, now: () => 1_000_000 })
  const hasty = { timeoutMs: 50, signal: never }
  for (let count = 0; count < 8; count++)
    await expect(peer.call('eth_getTransactionCount', [], hasty)).rejects.toThrow('no answer within 0.05 s')
  // It is not waited for each time.
  expect(hastyCalls).toBeLessThanOrEqual(5)
  expect(peer.awayMs).toBe(0)
  expect(await peer.call('eth_chainId', [], request)).toEqual({ result: 7 })
  peer.close()
})

test('a replica that cannot be reached is away, however little time a call has', async () => {
  let asked = 0
  const url = await serve((_, response) => {
    asked++
    response.destroy()
  })
  const peer = new Peer({ self: 1, replica: 2, url, token, now: () => 1_000_000 })
  for (let count = 0; count < 5; count++)
    await expect(peer.call('eth_chainId', [], { ...request, timeoutMs: 4_999 })).rejects.toThrow(
      PeerAwayError,
    )
  await expect(peer.call('eth_chainId', [], request)).rejects.toThrow(PeerAwayError)
  expect(asked).toBe(5)
  peer.close()
})

const logged: string[] = []
const log = {
  info: (_: object, text: string) => void logged.push(text),
  warn: (_: object, text: string) => void logged.push(text),
} as never

const open = (
  self: number,
  url: string,
  now = Date.now,
  more: readonly (readonly [number, string])[] = [],
): Replicas =>
  new Replicas({
    self,
    peers: new Map([[2, url], ...more]),
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
  const replicas = open(1, url, Date.now, [[1, nowhere]])
  for (const refusal of [4_100, -32_601, -32_002, -32_603]) {
    code = refusal
    await expect(replicas.ask(2, 'eth_chainId', [], request)).rejects.toThrow(PeerRefusedError)
    // A fault of its own may pass: nobody has to mend it, and a filter is polled again.
    expect(replicas.refuses(2)).toBe(refusal > -32_000 || refusal === -32_601)
  }
  // It is there: its filters have not expired.
  expect(replicas.isGone(2)).toBe(false)
  expect(logged).toEqual([
    'another replica refuses what it is asked',
    'another replica fails at what it is asked',
  ])
  code = -32_005
  expect(await replicas.ask(2, 'eth_chainId', [], request)).toEqual({ error: { code, message: 'no' } })
  code = undefined
  expect(await replicas.ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(logged).toHaveLength(3)
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
  // The next one names it at once.
  expect(await caller.ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(asked).toHaveLength(3)
  // It is for that process alone.
  expect(open(2, nowhere, () => now).findFault(taken)?.instance).toBeDefined()
  now += 60_001
  expect(await open(1, url, () => now).ask(2, 'eth_chainId', [], request)).toEqual({ result: 7 })
  expect(asked).toHaveLength(4)
})

/** A replica with this number, as its server answers. */
const serveReplica = (replicas: () => Replicas): Promise<string> =>
  serve((call, response) => {
    const fault = replicas().findFault(call)
    if (fault === undefined) {
      const result = replicas().signAnswer(call, { result: replicas().instance })
      return send(response, { result })
    }
    send(response, { error: { code: 4_100, message: fault.reason, data: { instance: fault.instance } } })
  })

test('replicas look at each other without being asked, and the log tells of a change once', async () => {
  let now = 1_000_000
  const clock = () => now
  const second = open(2, nowhere, clock)
  let answer: (call: PeerCall, response: ServerResponse) => void = (_, response) => response.destroy()
  const url = await serve((call, response) => answer(call, response))
  logged.length = 0
  const first = open(1, url, clock, [[1, nowhere]])
  expect((await first.look()).get(2)).toMatch(/^replica 2 does not answer: /)
  now += 30_000
  await first.look()
  expect(first.stats()).toEqual([
    { replica: 1, awayMs: 0 },
    { replica: 2, awayMs: 30_000 },
  ])
  expect(first.findProblem()).toBe('replica 2 does not answer this one: the log says why')
  expect(logged).toEqual(['another replica does not answer'])
  // A key is needed, which whoever is at its URL says in words.
  answer = (_, response) => void response.writeHead(401).end('an API key is needed\n')
  expect((await first.look()).get(2)).toBe('replica 2 refuses: status 401 an API key is needed')
  expect(first.refuses(2)).toBe(true)
  expect(first.isGone(2)).toBe(false)
  const refused = [4_100, 'the token is another one'] as const
  answer = (_, response) => send(response, { error: { code: refused[0], message: refused[1] } })
  await first.look()
  await first.look()
  expect(logged).toHaveLength(3)
  answer = (call, response) =>
    send(response, { result: signAnswer(token, call, { result: second.instance }) })
  expect(await first.look()).toEqual(new Map())
  expect(first.stats().map(({ awayMs }) => awayMs)).toEqual([0, 0])
  expect(first.findProblem()).toBeUndefined()
  expect(logged).toHaveLength(4)
})

test('a number that two replicas have, and an entry that leads to another one, are told', async () => {
  const replicas: Replicas[] = []
  const urls = await Promise.all([0, 1].map((index) => serveReplica(() => replicas[index] as Replicas)))
  const [firstUrl, secondUrl] = urls as [string, string]
  replicas.push(open(1, secondUrl, Date.now, [[1, firstUrl]]), open(2, secondUrl, Date.now, [[1, firstUrl]]))
  for (const replica of replicas) expect(await replica.look()).toEqual(new Map())
  const twin = open(2, secondUrl, Date.now, [[1, firstUrl]])
  expect(await twin.look()).toEqual(new Map([[2, 'another process answers as replica 2 at its URL']]))
  expect(twin.findProblem()).toContain('replica 2 is the number of this process and of another one')
  // The second URL is that of the third one, and the first one's own is that of the second.
  const wrong = open(1, firstUrl, Date.now, [[1, secondUrl]])
  const found = await wrong.look()
  expect(found.get(2)).toMatch(/it is for replica 2, this is 1$/)
  expect(found.get(1)).toMatch(/it is for replica 1, this is 2$/)
})

test('what is wrong at the own URL is not told of another replica', async () => {
  let code = 4_100
  const url = await serve((_, response) => send(response, { error: { code, message: 'no' } }))
  const replicas = new Replicas({
    ...{ self: 1, peers: new Map([[1, url]]), token, goneAfterMs: 1_000 },
    ...{ exportBlocks: () => undefined, log },
  })
  logged.length = 0
  await replicas.look()
  expect(replicas.findProblem()).toBe('replica 1 is refused at its own URL: the log says why')
  // A fault that may pass.
  code = -32_603
  await replicas.look()
  expect(replicas.findProblem()).toBe('replica 1 fails at what it asks at its own URL: the log says why')
  expect(logged).toEqual([
    'what is at the URL of this replica refuses what it is asked',
    'what is at the URL of this replica fails at what it is asked',
  ])
})

test('a replica that its own list leaves out is warned', () => {
  logged.length = 0
  open(9, nowhere)
  expect(logged).toEqual([expect.stringContaining('gateway.peers has no entry of this replica')])
})

test('why a replica does not answer is told without what its URL may have as a key', async () => {
  const peer = new Peer({ self: 1, replica: 2, url: `${nowhere}/secret-key`, token, now: Date.now })
  const failed = peer.call('eth_chainId', [], request)
  await expect(failed).rejects.toThrow(/^replica 2 does not answer: .*ECONNREFUSED/)
  await expect(failed).rejects.not.toThrow('secret-key')
})

test('a call that its caller ended does not tell why one before it failed', async () => {
  let answer: (call: PeerCall, response: ServerResponse) => void = (_, response) => response.destroy()
  const url = await serve((call, response) => answer(call, response))
  const peer = new Peer({ self: 1, replica: 2, url, token, now: Date.now })
  await expect(peer.call('eth_chainId', [], request)).rejects.toThrow(/^replica 2 does not answer: .+/)
  answer = sendSigned
  await peer.call('eth_chainId', [], request)
  const ended = { ...request, signal: AbortSignal.abort() }
  await expect(peer.call('eth_chainId', [], ended)).rejects.toThrow(/^replica 2 does not answer$/)
  peer.close()
})
