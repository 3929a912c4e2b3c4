import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { eventually } from '../../../test/support/eventually.ts'
import { CometWsClient } from './wsClient.ts'

interface RequestType {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, string>>
}

type Answer = (request: RequestType, client: WebSocket) => void

const open: { close(): void }[] = []

afterEach(() => {
  for (const one of open.splice(0).reverse()) one.close()
})

/** Starts a node that replies with what `answer` returns. */
const serve = async (
  answer: Answer,
  port = 0,
): Promise<{ readonly url: string; readonly port: number; cut(): void }> => {
  const server = new WebSocketServer({ host: '127.0.0.1', port, path: '/websocket' })
  open.push(server)
  server.on('connection', (client) => {
    client.on('message', (text) => answer(JSON.parse(String(text)) as RequestType, client))
  })
  await once(server, 'listening')
  const { port: taken } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${taken}`,
    port: taken,
    cut: () => {
      for (const client of server.clients) client.terminate()
    },
  }
}

const create = (
  url: string,
  options: { maxReplyBytes?: number; maxInFlight?: number } = {},
): CometWsClient => {
  const socket = new CometWsClient(url, { maxReplyBytes: 10_000, maxInFlight: 8, ...options })
  open.push(socket)
  return socket
}

const reply = (client: WebSocket, id: number, result: unknown): void =>
  client.send(JSON.stringify({ jsonrpc: '2.0', id, result }))

const timeoutMs = 60_000

test('many calls are on their way at once, and their answers may come in any order', async () => {
  const waiting: (() => void)[] = []
  let most = 0
  const { url } = await serve(({ id, params }, client) => {
    waiting.push(() => reply(client, id, params.n))
    most = Math.max(most, waiting.length)
    if (waiting.length === 8) for (const answer of waiting.splice(0).reverse()) answer()
  })
  const socket = create(url)
  const calls = Array.from({ length: 64 }, (_, n) => socket.call('echo', { n }, { timeoutMs }))
  expect(await Promise.all(calls)).toEqual(Array.from({ length: 64 }, (_, n) => n))
  expect(most).toBe(8)
})

test('a call ends at its deadline or with its caller, and the response that comes later is not an error', async () => {
  let late: (() => void) | undefined
  const { url } = await serve(({ id, method }, client) => {
    if (method === 'slow') late = () => reply(client, id, 'late')
    else reply(client, id, 'now')
  })
  const socket = create(url)
  const began = performance.now()
  await expect(socket.call('slow', {}, { timeoutMs: 100 })).rejects.toThrow('no response within 100 ms')
  expect(performance.now() - began).toBeLessThan(timeoutMs / 2)
  late?.()
  expect(await socket.call('fast', {}, { timeoutMs })).toBe('now')
  const controller = new AbortController()
  const left = socket.call('slow', {}, { timeoutMs, signal: controller.signal })
  controller.abort()
  await expect(left).rejects.toThrow('the caller has gone away')
  expect(socket.openCalls).toBe(0)
})

test.each([
  ['a call that nobody made', '{"jsonrpc":"2.0","id":99999,"result":{}}', 'which nobody made'],
  ['no JSON', '{"jsonrpc"', 'not JSON'],
  ['neither result nor error', '{"jsonrpc":"2.0","id":1}', 'neither result nor error'],
  [
    'more than the limit',
    JSON.stringify({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(20_000) }),
    'size exceeded',
  ],
])('a response with %s fails what is open', async (_, text, reason) => {
  const { url } = await serve((_asked, client) => client.send(text))
  await expect(create(url).call('any', {}, { timeoutMs })).rejects.toThrow(reason)
})

test('a line that breaks is opened again, and subscriptions with it', async () => {
  let starts = 0
  const events: unknown[] = []
  const { url, cut } = await serve(({ id, method }, client) => {
    reply(client, id, {})
    if (method === 'subscribe') reply(client, id, { data: { starts: ++starts } })
  })
  const socket = create(url)
  const seen = { starts: 0, ends: 0 }
  const arrived = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setInterval(() => {
        if (events.length < count) return
        clearInterval(timer)
        resolve()
      }, 5)
    })
  socket.subscribe({
    query: "tm.event='NewBlock'",
    onEvent: (event) => events.push(event),
    onStart: () => seen.starts++,
    onEnd: () => seen.ends++,
  })
  for (const count of [1, 2, 3]) {
    await arrived(count)
    cut()
  }
  await arrived(4)
  expect(seen).toEqual({ starts: 4, ends: 3 })
})

test('while nobody is there calls fail at once, and work again when somebody is', async () => {
  const first = await serve(({ id }, client) => reply(client, id, 1))
  const socket = create(first.url)
  expect(await socket.call('any', {}, { timeoutMs })).toBe(1)
  for (const one of open.splice(0, 1)) one.close()
  first.cut()
  const began = performance.now()
  await expect(socket.call('any', {}, { timeoutMs })).rejects.toThrow()
  expect(performance.now() - began).toBeLessThan(timeoutMs / 2)
  await serve(({ id }, client) => reply(client, id, 2), first.port)
  let answer: unknown
  await eventually(async () => {
    answer = await socket.call('any', {}, { timeoutMs }).catch(() => undefined)
    return answer !== undefined
  })
  expect(answer).toBe(2)
})

test.each([
  [
    'written with spaces',
    (id: number, text: string) => `{ "jsonrpc": "2.0", "id": ${id}, "result": "${text}" }`,
  ],
  [
    'with its call at the end',
    (id: number, text: string) => `{"jsonrpc":"2.0","result":"${text}","id":${id}}`,
  ],
  [
    'that begins with another call',
    (id: number, text: string) => `{"jsonrpc":"2.0","id":${id + 1},"result":"${text}","id":${id}}`,
  ],
])('a large reply %s is held to the limits of its method', async (_, write) => {
  const { url } = await serve(({ id, method }, client) => {
    if (method === 'status') client.send(write(id, 'x'.repeat(300_000)))
  })
  const socket = create(url, { maxReplyBytes: 10 ** 6 })
  const asked = socket.call('status', {}, { timeoutMs: 20_000 })
  socket.call('block', {}, { timeoutMs: 20_000 }).catch(() => undefined)
  await expect(asked).rejects.toThrow(/larger than 262144 bytes|does not begin with its call|names two calls/)
})

test('a small reply may be written in any way', async () => {
  const { url } = await serve(({ id }, client) =>
    client.send(`{"result":"small","id":${id},"jsonrpc":"2.0"}`),
  )
  expect(await create(url).call('status', {}, { timeoutMs })).toBe('small')
})

test('a reply that is larger than its method is good for fails its call, and the line stays', async () => {
  const { url } = await serve(({ id, method }, client) =>
    client.send(`{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(method === 'status' ? 300_000 : 10)}"}`),
  )
  const socket = create(url, { maxReplyBytes: 10 ** 6 })
  await expect(socket.call('status', {}, { timeoutMs: 20_000 })).rejects.toThrow('larger than 262144 bytes')
  expect(await socket.call('block', {}, { timeoutMs: 20_000 })).toBe('xxxxxxxxxx')
})

test('callers that leave neither end the line nor have the node work on ever more', async () => {
  const held: (() => void)[] = []
  const { url } = await serve(({ id, method }, client) => {
    const answer = (): void => reply(client, id, method)
    if (method === 'fast') answer()
    else held.push(answer)
  })
  const socket = create(url)
  const others = Promise.all([1, 2].map(() => socket.call('slow', {}, { timeoutMs: 60_000 })))
  await eventually(() => held.length === 2)
  for (let round = 0; round < 4; round++) {
    const leaving = new AbortController()
    const options = { timeoutMs: 60_000, signal: leaving.signal }
    const left = Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => socket.call('left', {}, options)))
    if (round < 2) await eventually(() => held.length === 2 + 6 * (round + 1))
    leaving.abort()
    for (const outcome of await left)
      expect(outcome).toMatchObject({ reason: { message: 'the caller has gone away' } })
  }
  await eventually(() => held.length === 16)
  const waits = socket.call('fast', {}, { timeoutMs: 60_000 })
  for (const answer of held.splice(0)) answer()
  expect(await others).toEqual(['slow', 'slow'])
  expect(await waits).toBe('fast')
  expect(held).toEqual([])
  expect(socket.connections).toBe(1)
})

test('a node that answers nothing in time is left', async () => {
  const { url } = await serve(() => undefined)
  const socket = create(url, { maxInFlight: 2 })
  const calls = [1, 2, 3, 4, 5].map(() => socket.call('any', {}, { timeoutMs: 50 }))
  const first = await Promise.allSettled(calls)
  const rest = await Promise.allSettled([1, 2, 3].map(() => socket.call('any', {}, { timeoutMs: 50 })))
  const reasons = [...first, ...rest].map((outcome) => (outcome as PromiseRejectedResult).reason.message)
  expect(reasons).toContain('the node does not answer')
})

test('a node that pings or pongs without end is left at once, and its pings are not answered without end', async () => {
  for (const kind of ['ping', 'pong'] as const) {
    let answered = 0
    const { url } = await serve((_, client) => {
      client.on('pong', () => answered++)
      for (let sent = 0; sent < 5_000; sent++) client[kind]()
    })
    const socket = create(url)
    await expect(socket.call('status', {}, { timeoutMs: 60_000 })).rejects.toThrow('too many pings and pongs')
    expect(answered).toBeLessThan(1_000)
  }
})
