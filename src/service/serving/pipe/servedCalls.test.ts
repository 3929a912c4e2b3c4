import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { ForwardedCalls } from '../../../rpc/dispatch/forwardedCalls.ts'
import { InternalErrors } from '../../../rpc/dispatch/internalErrors.ts'
import type { RequestScope } from '../../../rpc/dispatch/requestScope.ts'
import { MemoryBudget } from '../../../rpc/memoryBudget.ts'
import { RpcMetrics } from '../../../rpc/metrics.ts'
import { StreamedResult } from '../../../rpc/rawJson.ts'
import { type Page, Pages } from '../../../rpc/transport/pages.ts'
import type { FrameChannel } from './frames.ts'
import { frameKinds } from './frames.ts'
import { KeyNames, ServedCalls } from './servedCalls.ts'
import { encodeCall } from './wire.ts'

const caller = { transport: 'http', address: '127.0.0.1', isLocal: true, authorizedUntil: 0 } as never // not looked at

/** The calls of a process that reads when it is told to. */
const setUp = (handler: (scope: RequestScope) => unknown, pages: Readonly<Record<string, Page>> = {}) => {
  const budget = new MemoryBudget(1_000_000)
  const logged: unknown[] = []
  const log = { error: (_: unknown, message: string) => logged.push(message) } as never // what is used
  const internalErrors = new InternalErrors({ metrics: new RpcMetrics(new Registry()), log })
  const dispatcher = { dispatch: (_: unknown, scope: RequestScope) => handler(scope) }
  const sent: { kind: number; text: string; onRead: () => void }[] = []
  const channel = {
    backlog: 0,
    sendText: (kind: number, _: number, text: string, onRead: () => void) =>
      sent.push({ kind, text, onRead }),
    send: (kind: number, _: number, parts: readonly Uint8Array[], onRead: () => void) =>
      sent.push({ kind, text: Buffer.concat(parts).toString(), onRead }),
  }
  const served = new ServedCalls({
    channel: channel as unknown as FrameChannel, // what answers use
    calls: new ForwardedCalls(1000, { dispatcher: dispatcher as never, budget, internalErrors }),
    pages: new Pages(pages),
    keys: new KeyNames(),
    log,
  })
  const call = () =>
    served.receive(frameKinds.call, 1, Buffer.from(`0 ${encodeCall(caller, 'test', [], 900)}`))
  return { budget, served, sent, logged, call }
}

const streamed = (size: number, onDispose: () => void) =>
  new StreamedResult(
    size,
    async function* () {
      yield Buffer.alloc(size, 'x')
    },
    onDispose,
  )

test('a result is in the memory of requests until the process has read it', () => {
  const { budget, served, sent, call } = setUp(() => 'x'.repeat(10_000))
  call()
  expect(sent).toHaveLength(1)
  expect(budget.used).toBeGreaterThanOrEqual(10_000)
  expect(served.unreadBytes).toBe(10_000)
  sent[0]?.onRead()
  expect(budget.used).toBe(0)
  expect(served.unreadBytes).toBe(0)
})

test('the size of a result is that of its bytes', () => {
  const { served, sent, call } = setUp(() => 'é'.repeat(1000))
  call()
  expect(served.unreadBytes).toBe(2000)
  sent[0]?.onRead()
  expect(served.unreadBytes).toBe(0)
})

test('a page is in the memory of requests until the process has read it, and counts as a result', async () => {
  const body = 'é'.repeat(5000)
  const { budget, served, sent } = setUp(() => 'true', {
    '/health': async () => ({ status: 200, type: 'text/plain', body }),
  })
  served.receive(frameKinds.page, 1, Buffer.from('/health'))
  await expect.poll(() => sent.length).toBe(1)
  const size = Buffer.byteLength(sent[0]?.text ?? '')
  expect(size).toBeGreaterThan(10_000)
  expect(budget.used).toBe(size)
  expect(served.unreadBytes).toBe(size)
  sent[0]?.onRead()
  expect(budget.used).toBe(0)
  expect(served.unreadBytes).toBe(0)
})

test('a long result is read into memory only if there is room', async () => {
  let disposed = 0
  const { budget, sent, call } = setUp(() => streamed(400_000, () => disposed++))
  call()
  await expect.poll(() => sent.length).toBe(1)
  expect(sent[0]?.kind).toBe(frameKinds.result)
  expect(budget.used).toBeGreaterThanOrEqual(400_000)
  call()
  await expect.poll(() => sent.length).toBe(2)
  expect(sent[1]?.kind).toBe(frameKinds.error)
  expect(sent[1]?.text).toContain('too much is under way')
  for (const { onRead } of sent) onRead()
  expect(disposed).toBe(2)
  expect(budget.used).toBe(0)
})

test.each([
  ['at once', 'true'],
  ['later', Promise.resolve('true')],
])('what fails after a response that came %s goes no further', async (_, outcome) => {
  const { budget, sent, logged, call } = setUp((scope) => {
    scope.afterResponse(() => {
      throw new Error('after the response')
    })
    return outcome
  })
  call()
  await expect.poll(() => logged).toEqual(['a request failed'])
  expect(sent.map(({ text }) => text)).toEqual(['true'])
  sent[0]?.onRead()
  expect(budget.used).toBe(0)
})
