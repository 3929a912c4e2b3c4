import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineMethod, param } from '../../../src/rpc/method.ts'
import { StreamedResult } from '../../../src/rpc/rawJson.ts'
import { plainType } from '../../../src/rpc/wireType.ts'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { readGauge } from '../../support/rpc/gauges.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { type TestContext, testMethods } from '../../support/rpc/testMethods.ts'
import { WsClient } from '../../support/rpc/wsClient.ts'
import { slow } from '../../support/slow.ts'
import { type Reader, readers, startTestServer, type TestServer } from '../../support/testServer.ts'

const pieceBytes = 65_536
/** What was begun and what was given back. */
const seen = { made: 0, disposed: 0 }

/** Responds with a text of so many pieces, read one by one. */
const stream = defineMethod<TestContext>()({
  name: 'test_stream',
  summary: 'For tests.',
  access: 'public',
  params: [param('pieces', plainType(z.number()), 'How many pieces.')],
  result: { name: 'result', type: plainType(z.unknown()) },
  examples: [],
  handler: ([pieces]) => {
    seen.made++
    const read = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('"')
      for (let piece = 0; piece < pieces; piece++) yield Buffer.alloc(pieceBytes, 97 + (piece % 26))
      yield Buffer.from('"')
    }
    return new StreamedResult(2 + pieces * pieceBytes, read, () => void seen.disposed++)
  },
})

let server: TestServer
let reader: Reader
const start = async (flags: readonly string[] = []): Promise<void> => {
  Object.assign(seen, { made: 0, disposed: 0 })
  server = await startTestServer(flags, { methods: [...testMethods, stream], reader })
}
const usedMemory = (): Promise<number> =>
  readGauge(server.registry, 'perihelion_rpc_memory_bytes', { what: 'used' })
afterEach(() => server.close())

/** Nothing is left of what was begun. */
const expectNothingLeft = async (): Promise<void> => {
  await eventually(async () => seen.disposed === seen.made && (await usedMemory()) === 0)
}

describe.each(readers)('responses that are streamed, HTTP read by %s', (name) => {
  beforeEach(() => {
    reader = name
  })

  test('that were asked for one behind the other come whole and in order', slow, async () => {
    await start()
    const raw = await RawSocket.open(server.http)
    const counts = [40, 0, 25, 60]
    raw.send(counts.map((pieces, id) => httpPost(toCallJson('test_stream', [pieces], id))).join(''))
    raw.send(httpPost(toCallJson('test_echo', ['last'], 9)))
    const text = await raw.receive(/"id":9,"result":"last"\}$/)
    const bodies = text.split(/HTTP\/1\.1 200 OK\r\n.*?\r\n\r\n/s).slice(1)
    expect(bodies.map((body) => (JSON.parse(body) as { id: number; result: string }).id)).toEqual([
      0, 1, 2, 3, 9,
    ])
    const lengths = bodies.slice(0, 4).map((body) => (parseResult(body) as string).length)
    expect(lengths).toEqual(counts.map((pieces) => pieces * pieceBytes))
    raw.close()
    await expectNothingLeft()
  })

  test.each([
    ['that reads nothing', 0],
    ['in the middle of the first', 100_000],
  ])('are given up when their client leaves, one %s too', async (_, readBytes) => {
    await start()
    const raw = await RawSocket.open(server.http)
    if (readBytes === 0) raw.socket.pause()
    const calls = [0, 1, 2].map((id) => httpPost(toCallJson('test_stream', [1000], id)))
    raw.send(calls.join(''))
    await eventually(() => seen.made === 3)
    if (readBytes > 0) await raw.receive((text) => text.length > readBytes)
    expect(await usedMemory()).toBeGreaterThan(0)
    raw.socket.resetAndDestroy()
    await expectNothingLeft()
    expect(parseResult(await postJson(server.http, toCallJson('test_echo', [1])))).toBe(1)
  })

  test('are in memory as a whole for sockets and batches, within their limits', async () => {
    await start(['--json-rpc.request-memory=40000000'])
    const client = await WsClient.open(server.ws)
    expect(parseResult(await client.ask(toCallJson('test_stream', [100])))).toHaveLength(100 * pieceBytes)
    expect(await client.ask(toCallJson('test_stream', [1000]))).toMatch(/-32005.*json-rpc\.request-memory/)
    expect(await client.ask(toCallJson('test_stream', [2000]))).toMatch(/"code":-32003/)
    const batch = `[${[10, 20, 2000, 5].map((pieces, id) => toCallJson('test_stream', [pieces], id)).join()}]`
    for (const text of [await client.ask(batch), await postJson(server.http, batch)]) {
      const responses = JSON.parse(text) as { result?: string; error?: { code: number } }[]
      expect(responses.map(({ result, error }) => result?.length ?? error?.code)).toEqual([
        10 * pieceBytes,
        20 * pieceBytes,
        -32003,
        5 * pieceBytes,
      ])
    }
    client.socket.terminate()
    await expectNothingLeft()
  })
})
