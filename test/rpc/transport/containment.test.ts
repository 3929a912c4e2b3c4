import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { RpcError } from '../../../src/rpc/errors.ts'
import { defineMethod, optionalParam } from '../../../src/rpc/method.ts'
import { inputType, plainType } from '../../../src/rpc/wireType.ts'
import { postJson, sendIpc, sendWs } from '../../support/clients.ts'
import { readGauge } from '../../support/rpc/gauges.ts'
import { type TestContext, testMethods } from '../../support/rpc/testMethods.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'

const method = defineMethod<TestContext>()
const any = plainType(z.unknown())
const common = { summary: 'Fails.', access: 'public', examples: [], params: [] } as const
const result = { name: 'result', type: any }

const fail = (): never => {
  throw new RangeError('Maximum call stack size exceeded')
}

/** Methods that throw where nothing may be thrown. Without the net each of them would end the process. */
const failing = [
  method({
    ...common,
    name: 'test_failsToDecode',
    params: [optionalParam('value', inputType(z.unknown().transform(fail)), 'Anything.')],
    result,
    handler: () => true,
  }),
  method({
    ...common,
    name: 'test_failsToEncode',
    result: { name: 'result', type: { schema: z.unknown(), encode: fail } },
    handler: () => true,
  }),
  method({ ...common, name: 'test_fails', result, handler: fail }),
  method({ ...common, name: 'test_failsLater', result, handler: async () => fail() }),
  method({
    ...common,
    name: 'test_failsToAnswer',
    result,
    handler: () => {
      throw new RpcError(-32000, 'failed', 1n)
    },
  }),
]

const afterwards = method({
  ...common,
  name: 'test_failsAfterwards',
  result,
  handler: async (_, __, scope) => {
    scope.afterResponse(fail)
    return true
  },
})

describe.each(readers)('an error that no method throws on purpose, HTTP read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer([], { methods: [...testMethods, ...failing, afterwards], reader })
  })
  afterAll(() => server.close())

  const transports: Readonly<Record<string, (body: string) => Promise<string>>> = {
    HTTP: (body) => postJson(server.http, body),
    WebSocket: (body) => sendWs(server.ws, body),
    IPC: (body) => sendIpc(server.ipcPath, body),
  }
  const counted = (): Promise<number> => readGauge(server.registry, 'perihelion_rpc_internal_errors_total')
  const error = { code: -32603, message: 'internal error' }

  for (const [transport, send] of Object.entries(transports)) {
    test.each(failing.map(({ name }) => name))(
      `%s over ${transport} is answered and counted`,
      async (name) => {
        const before = await counted()
        const request = {
          jsonrpc: '2.0',
          id: 'mine',
          method: name,
          params: name.endsWith('Decode') ? [1] : [],
        }
        expect(JSON.parse(await send(JSON.stringify(request)))).toEqual({ jsonrpc: '2.0', id: 'mine', error })
        expect(await counted()).toBe(before + 1)
        expect(server.logLines.at(-1)).toContain('a request failed')
        const echo = { jsonrpc: '2.0', id: 2, method: 'test_echo', params: [7] }
        const batch = JSON.parse(await send(JSON.stringify([echo, request]))) as unknown
        expect(batch).toMatchObject([
          { id: 2, result: 7 },
          { id: 'mine', error },
        ])
      },
    )

    test(`after the answer over ${transport} changes nothing`, async () => {
      const request = '{"jsonrpc":"2.0","id":1,"method":"test_failsAfterwards"}'
      expect(JSON.parse(await send(request))).toEqual({ jsonrpc: '2.0', id: 1, result: true })
    })
  }

  test('in process is thrown to the caller alone', async () => {
    const connection = server.server.connect(() => {})
    for (const { name } of failing)
      await expect(connection.request(name, name.endsWith('Decode') ? [1] : [])).rejects.toMatchObject(error)
    expect(await connection.request('test_failsAfterwards')).toBe(true)
    connection.close()
  })
})
