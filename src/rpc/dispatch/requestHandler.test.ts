import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { readGauge } from '../../../test/support/rpc/gauges.ts'
import { createLogger } from '../../base/logging/log.ts'
import { newLongSlice } from '../../base/threads/timeSlice.ts'
import type { Caller } from '../access/access.ts'
import { RateLimiter } from '../access/rateLimit.ts'
import { invalidParams, RpcError } from '../errors.ts'
import { MemoryBudget } from '../memoryBudget.ts'
import { RpcMetrics } from '../metrics.ts'
import { StreamedResult } from '../rawJson.ts'
import type { CallDispatcher, Outcome } from './dispatcher.ts'
import { InternalErrors } from './internalErrors.ts'
import { RequestHandler, StreamedResponse, toMessage } from './requestHandler.ts'
import { RequestScope } from './requestScope.ts'

/** Creates a dispatcher in which calls of `send` may overlap and those of `ask` may not. Each takes a few turns of the loop, the first the most. */
const createDispatcher = () => {
  const events: string[] = []
  const dispatcher: CallDispatcher = {
    overlaps: ({ method }) => method === 'send',
    dispatch: async ({ id, method, params }) => {
      events.push(`begin ${method} ${id}`)
      for (let turn = 0; turn < (id === '1' ? 8 : 2); turn++)
        await new Promise((resolve) => setImmediate(resolve))
      events.push(`end ${method} ${id}`)
      return params?.[0] === 'echo' ? JSON.stringify(params) : (id ?? 'null')
    },
  }
  return { dispatcher, events }
}

const createErrors = () => {
  const registry = new Registry()
  const lines: string[] = []
  const log = createLogger('error', { write: (line: string) => void lines.push(line) })
  return { registry, lines, internalErrors: new InternalErrors({ metrics: new RpcMetrics(registry), log }) }
}

const caller: Caller = { transport: 'http', address: '192.0.2.1', isLocal: false, authorizedUntil: 0 }
const scope = {
  chargeBatch: () => {},
  isOver: false,
  reserve: () => true,
  reserveBody: () => true,
  reserveResponse: () => true,
} as unknown as RequestScope
const handleBatch = async (
  dispatcher: CallDispatcher,
  methods: readonly string[],
  batchResponseMaxSize = 1_000,
  paramsOf: (id: number) => readonly unknown[] = () => [],
) => {
  const calls = methods.map((method, at) => ({
    jsonrpc: '2.0',
    id: at + 1,
    method,
    params: paramsOf(at + 1),
  }))
  const handler = new RequestHandler(
    { batchRequestLimit: 100, batchResponseMaxSize, traceSpoolPerClient: 1_000_000_000 },
    dispatcher,
    createErrors().internalErrors,
  )
  return JSON.parse(String(await handler.handle(JSON.stringify(calls), scope))) as {
    id: number
    result?: number
    error?: { code: number }
  }[]
}

test('calls of a batch that may overlap begin together and are answered in their order', async () => {
  const { dispatcher, events } = createDispatcher()
  const responses = await handleBatch(dispatcher, ['send', 'send', 'send'])
  expect(events.slice(0, 3)).toEqual(['begin send 1', 'begin send 2', 'begin send 3'])
  expect(responses.map(({ id, result }) => [id, result])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
})

test('a call of another method begins when all before it have ended, and the next ones after it', async () => {
  const { dispatcher, events } = createDispatcher()
  await handleBatch(dispatcher, ['send', 'send', 'ask', 'ask', 'send'])
  expect(events).toEqual([
    ...['begin send 1', 'begin send 2', 'end send 2', 'end send 1'],
    ...['begin ask 3', 'end ask 3', 'begin ask 4', 'end ask 4', 'begin send 5', 'end send 5'],
  ])
})

test('a call that is decoded in slices is overtaken by none behind it', async () => {
  const { dispatcher, events } = createDispatcher()
  const long = (id: number) => (id === 2 ? ['x'.repeat(50_000)] : [])
  await handleBatch(dispatcher, ['send', 'send', 'send', 'send'], 1_000, long)
  expect(events.indexOf('begin send 3')).toBeGreaterThan(events.indexOf('end send 2'))
  expect(events.slice(0, 2)).toEqual(['begin send 1', 'begin send 2'])
})

test('the size of the response is held to its limit among calls that overlap too', async () => {
  const { dispatcher } = createDispatcher()
  const long = () => ['echo', 'x'.repeat(300)]
  const responses = await handleBatch(dispatcher, ['send', 'send', 'send', 'send'], 700, long)
  expect(responses.map(({ id, error }) => [id, error?.code])).toEqual([
    [1, undefined],
    [2, undefined],
    [3, -32003],
    [4, -32003],
  ])
})

test('a short answer is given above the limit too once its call was run, and no further call is run', async () => {
  const { dispatcher, events } = createDispatcher()
  const responses = await handleBatch(dispatcher, ['send', 'send', 'send', 'send', 'ask'], 80)
  expect(responses.map(({ result, error }) => result ?? error?.code)).toEqual([1, 2, 3, 4, -32003])
  expect(events).not.toContain('begin ask 5')
})

test('what is collected for a batch is counted once, and a response over a socket too', async () => {
  const size = 500_000
  const streamed = (): StreamedResult =>
    new StreamedResult(
      size,
      async function* () {
        yield Buffer.alloc(size - 2, 'x')
        yield Buffer.from('""')
      },
      () => {},
    )
  const budget = new MemoryBudget(100_000_000)
  const { internalErrors } = createErrors()
  const handler = new RequestHandler(
    { batchRequestLimit: 100, batchResponseMaxSize: 10_000_000, traceSpoolPerClient: 1_000_000_000 },
    { overlaps: () => false, dispatch: streamed },
    internalErrors,
  )
  const calls = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'trace' }))
  const created = (): RequestScope => new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget)
  const batch = created()
  expect(await handler.handle(JSON.stringify(calls), batch)).toMatchObject({ size: 3 * (size + 34) + 4 })
  expect(budget.used / size).toBeCloseTo(3, 1)
  batch.release()
  const single = created()
  const response = await handler.handle(JSON.stringify(calls[0]), single)
  const before = budget.used
  expect(await toMessage(response, 10_000_000, single, internalErrors)).toMatchObject({ size: size + 34 })
  expect((budget.used - before) / size).toBeCloseTo(1, 1)
  single.release()
  expect(budget.used).toBe(0)
})

test('a body for which there is no memory counts until it is rejected', async () => {
  const budget = new MemoryBudget(1_000_000, 0)
  const { dispatcher } = createDispatcher()
  const limits = {
    batchRequestLimit: 1000,
    batchResponseMaxSize: 10_000_000,
    traceSpoolPerClient: 1_000_000_000,
  }
  const handler = new RequestHandler(limits, dispatcher, createErrors().internalErrors)
  const text = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ask', params: ['x'.repeat(100_000)] })
  budget.count(budget.limit * 0.75)
  const scopes = [1, 2, 3].map(() => new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget))
  const before = budget.used
  const answers = scopes.map((each) => handler.handle(text, each))
  expect({ held: budget.used - before, isTight: budget.isTight }).toEqual({
    held: 3 * text.length,
    isTight: true,
  })
  for (const answer of await Promise.all(answers))
    expect(JSON.parse(String(answer))).toMatchObject({ id: 7, error: { code: -32005 } })
  for (const each of scopes) each.release()
  expect(budget.used).toBe(before)
})

test('a very long body for which there is no memory is rejected without being parsed', async () => {
  const budget = new MemoryBudget(4_000_000, 0)
  const limits = {
    batchRequestLimit: 1000,
    batchResponseMaxSize: 10_000_000,
    traceSpoolPerClient: 1_000_000_000,
  }
  let slices = 0
  const newSlice = () => {
    slices++
    return newLongSlice()
  }
  const handler = new RequestHandler(
    limits,
    createDispatcher().dispatcher,
    createErrors().internalErrors,
    newSlice,
  )
  const call = { jsonrpc: '2.0', id: 7, method: 'ask', params: ['x'.repeat(600_000)] }
  const answerOf = async (body: unknown) => {
    const scope = new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget)
    const answer = JSON.parse(String(await handler.handle(JSON.stringify(body), scope)))
    scope.release()
    return answer
  }
  budget.count(budget.limit * 0.75)
  expect(await answerOf(call)).toMatchObject({ id: 7, error: { code: -32005 } })
  expect(await answerOf([call, { ...call, id: 8 }])).toMatchObject({ id: null, error: { code: -32005 } })
  expect(slices).toBe(0)
})

test('a long body waits for memory and is then run; one whose client leaves meanwhile is not', async () => {
  const budget = new MemoryBudget(4_000_000)
  const { dispatcher, events } = createDispatcher()
  const limits = {
    batchRequestLimit: 1000,
    batchResponseMaxSize: 10_000_000,
    traceSpoolPerClient: 1_000_000_000,
  }
  const handler = new RequestHandler(limits, dispatcher, createErrors().internalErrors)
  const text = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ask', params: ['x'.repeat(100_000)] })
  const others = budget.limit * 0.74
  budget.count(others)
  const created = (): RequestScope => new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget)
  const [stays, leaves] = [created(), created()]
  const answer = handler.handle(text, stays)
  const unwanted = handler.handle(text, leaves)
  leaves.abandon()
  leaves.release()
  expect(await unwanted).toBeUndefined()
  expect({ events, used: budget.used }).toEqual({ events: [], used: others + text.length })
  budget.give(others)
  expect(JSON.parse(String(await answer))).toMatchObject({ id: 7 })
  expect(events).toContain('begin ask 7')
  stays.release()
  expect(budget.used).toBe(0)
})

test('a long body is rejected with its own error while another of its client waits for memory', async () => {
  const budget = new MemoryBudget(40_000_000)
  const limits = { batchRequestLimit: 10, batchResponseMaxSize: 1_000, traceSpoolPerClient: 1_000_000_000 }
  const { dispatcher } = createDispatcher()
  const handler = new RequestHandler(limits, dispatcher, createErrors().internalErrors)
  const textOf = (length: number): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ask', params: ['x'.repeat(length)] })
  budget.count(20_000_000)
  const created = (): RequestScope => new RequestScope(caller, 10_000, new RateLimiter(0, 0), budget)
  const [waiting, refused] = [created(), created()]
  const unwanted = handler.handle(textOf(2_000_000), waiting)
  const answer = await handler.refuse(textOf(100_000), invalidParams('expected a height'), refused)
  expect(JSON.parse(String(answer))).toMatchObject({ id: 7, error: { code: -32602 } })
  waiting.abandon()
  expect(await unwanted).toBeUndefined()
  for (const each of [waiting, refused]) each.release()
  expect(budget.used).toBe(20_000_000)
})

describe('what is thrown on the way', () => {
  const failures: Readonly<Record<string, () => Outcome | Promise<Outcome>>> = {
    'a call that throws': () => {
      throw new RangeError('Maximum call stack size exceeded')
    },
    'a call that rejects': () => Promise.reject(new Error('a secret detail')),
    'an error whose data is not JSON': () => new RpcError(-32000, 'failed', 1n),
    'such an error, later': async () => new RpcError(-32000, 'failed', 1n),
  }

  const createHandler = (fail: () => Outcome | Promise<Outcome>) => {
    const dispatcher: CallDispatcher = {
      overlaps: () => true,
      dispatch: ({ method }) => (method === 'fail' ? fail() : '"fine"'),
    }
    const { registry, lines, internalErrors } = createErrors()
    const limits = { batchRequestLimit: 10, batchResponseMaxSize: 1_000, traceSpoolPerClient: 1_000_000_000 }
    const handler = new RequestHandler(limits, dispatcher, internalErrors)
    const handle = async (body: unknown) => {
      const response = await handler.handle(JSON.stringify(body), scope)
      return response === undefined ? undefined : (JSON.parse(String(response)) as unknown)
    }
    return { handle, lines, counted: () => countInternalErrors(registry) }
  }

  const countInternalErrors = (registry: Registry): Promise<number> =>
    readGauge(registry, 'perihelion_rpc_internal_errors_total')

  const call = (method: string, id?: number) => ({
    jsonrpc: '2.0',
    method,
    ...(id === undefined ? {} : { id }),
  })
  const internal = { code: -32603, message: 'internal error' }

  for (const [name, fail] of Object.entries(failures)) {
    test(`${name} is answered -32603, logged and counted`, async () => {
      const { handle, lines, counted } = createHandler(fail)
      expect(await handle(call('fail', 7))).toEqual({ jsonrpc: '2.0', id: 7, error: internal })
      expect(lines).toHaveLength(1)
      expect(await counted()).toBe(1)
      expect(await handle(call('fail'))).toBeUndefined()
    })
  }

  test('the other calls of a batch are answered, and no rejection is left', async () => {
    const { handle, counted } = createHandler(failures['a call that rejects'] as () => Promise<Outcome>)
    const batch = [call('fail', 1), call('fail', 2), call('well', 3), call('fail', 4)]
    expect(await handle(batch)).toEqual([
      { jsonrpc: '2.0', id: 1, error: internal },
      { jsonrpc: '2.0', id: 2, error: internal },
      { jsonrpc: '2.0', id: 3, result: 'fine' },
      { jsonrpc: '2.0', id: 4, error: internal },
    ])
    expect(await counted()).toBe(3)
  })

  test('a result of a batch that cannot be written is an error, and the others stay', async () => {
    const { handle } = createHandler(() => new RpcError(-32000, 'failed', 1n))
    expect(await handle([call('fail', 1), call('well', 2)])).toEqual([
      { jsonrpc: '2.0', id: 1, error: internal },
      { jsonrpc: '2.0', id: 2, result: 'fine' },
    ])
  })

  test('a batch that cannot be run at all is one error', async () => {
    const { internalErrors } = createErrors()
    const dispatcher: CallDispatcher = {
      overlaps: () => {
        throw new Error('broken')
      },
      dispatch: () => '1',
    }
    const limits = { batchRequestLimit: 10, batchResponseMaxSize: 1_000, traceSpoolPerClient: 1_000_000_000 }
    const response = await new RequestHandler(limits, dispatcher, internalErrors).handle(
      JSON.stringify([call('well', 1)]),
      scope,
    )
    expect(JSON.parse(String(response))).toEqual({ jsonrpc: '2.0', id: null, error: internal })
  })

  test('a streamed response is as long as it says, whatever letters its id has', async () => {
    const result = new StreamedResult(
      2,
      async function* () {
        yield Buffer.from('[]')
      },
      () => {},
    )
    const response = new StreamedResponse('"é€😀"', result)
    const pieces: Uint8Array[] = []
    for await (const piece of response.pieces()) pieces.push(piece)
    expect(Buffer.concat(pieces)).toHaveLength(response.size)
  })

  test('a result that cannot be read is an error with its id', async () => {
    const { internalErrors, registry } = createErrors()
    const unreadable = new StreamedResult(
      10,
      () => {
        throw new Error('EIO')
      },
      () => {},
    )
    const text = await new StreamedResponse('"a"', unreadable).collect(100, scope, internalErrors)
    expect(JSON.parse(String(text))).toEqual({ jsonrpc: '2.0', id: 'a', error: internal })
    expect(await countInternalErrors(registry)).toBe(1)
  })
})
