import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { exitCodes } from '../../../src/base/exit.ts'
import { defineMethod, param } from '../../../src/rpc/method.ts'
import { plainType } from '../../../src/rpc/wireType.ts'
import { postJson, sendHttp, sendIpc, sendWs } from '../../support/clients.ts'
import { freePort } from '../../support/freePort.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { RawSocket } from '../../support/rpc/rawSocket.ts'
import { type TestContext, testMethods } from '../../support/rpc/testMethods.ts'
import { WsClient } from '../../support/rpc/wsClient.ts'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

const echo = toCallJson('test_echo', ['hi'])

describe('addresses', () => {
  test.each(['127.0.0.1', 'localhost'])('two equal ones are one port (%s)', async (host) => {
    const port = await freePort()
    const address = `${host}:${port}`
    const server = await startTestServer([
      `--json-rpc.address=${address}`,
      `--json-rpc.ws-address=${address}`,
    ])
    expect(parseResult(await postJson(server.http, echo))).toBe('hi')
    expect(parseResult(await sendWs(server.ws, echo))).toBe('hi')
    expect(new URL(server.http).port).toBe(new URL(server.ws).port)
    // Without HTTP the port stays for WebSocket.
    expect(server.server.stopTransport('http')).toBe(true)
    expect((await sendHttp(server.http, { method: 'GET' })).status).toBe(426)
    expect(parseResult(await sendWs(server.ws, echo))).toBe('hi')
    await server.server.startTransport('http')
    expect(parseResult(await postJson(server.http, echo))).toBe('hi')
    await server.close()
    await expect(RawSocket.open(server.http)).rejects.toThrow()
  })

  test('an empty one is off', async () => {
    const server = await startTestServer(['--json-rpc.address=', '--json-rpc.ws-address='])
    expect([server.http, server.ws]).toEqual(['', ''])
    expect(parseResult(await sendIpc(server.ipcPath, echo))).toBe('hi')
    await server.close()
    const wsOnly = await startTestServer(['--json-rpc.address='])
    expect(wsOnly.http).toBe('')
    expect(parseResult(await sendWs(wsOnly.ws, echo))).toBe('hi')
    await wsOnly.close()
  })

  test('one that is taken is an error with its name, and nothing stays open', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    await expect(startTestServer([`--json-rpc.ws-address=127.0.0.1:${port}`])).rejects.toThrow(
      expect.objectContaining({
        exitCode: exitCodes.addressTaken,
        message: expect.stringContaining(`127.0.0.1:${port}`),
      }),
    )
    other.close()
  })

  test('IPv6 is served', async (ctx) => {
    const server = await startTestServer(['--json-rpc.address=[::1]:0']).catch(() => undefined)
    if (server === undefined) return ctx.skip('this machine has no IPv6')
    expect(server.http).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(parseResult(await postJson(server.http, echo))).toBe('hi')
    expect(parseResult(await postJson(server.http, toCallJson('test_sign')))).toBe(true) // ::1 is local
    await server.close()
  })
})

describe('transports at run time', () => {
  let server: TestServer
  beforeEach(async () => {
    const method = defineMethod<TestContext>()
    const role = plainType(z.enum(['http', 'ws']))
    const stop = method({
      name: 'test_stop',
      summary: 'Stops a transport.',
      access: 'public',
      params: [param('role', role, 'Which.')],
      result: { name: 'done', type: plainType(z.boolean()) },
      examples: [],
      handler: ([which]) => server.server.stopTransport(which),
    })
    const stopLater = method({
      ...stop,
      name: 'test_stopLater',
      params: [param('role', role, 'Which.')],
      result: { name: 'done', type: plainType(z.boolean()) },
      handler: async ([which]) => server.server.stopTransport(which),
    })
    server = await startTestServer([], { methods: [...testMethods, stop, stopLater] })
  })
  afterEach(() => server.close())

  test.each(['test_stop', 'test_stopLater'])(
    'a call may stop the HTTP server that it came to (%s)',
    async (name) => {
      const raw = await RawSocket.open(server.http)
      const body = toCallJson(name, ['http'])
      raw.send(
        `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      await raw.closed
      expect(raw.text).toContain('"result":true')
      expect(raw.text).toContain('Connection: close')
      expect(server.server.addressOf('http')).toBeUndefined()
      await expect(RawSocket.open(server.http)).rejects.toThrow()
      expect(parseResult(await sendWs(server.ws, echo))).toBe('hi')
    },
  )

  test.each(['test_stop', 'test_stopLater'])(
    'a call may stop the WebSocket server that it came to (%s)',
    async (name) => {
      const client = await WsClient.open(server.ws)
      client.send(`[${toCallJson(name, ['ws'])},${toCallJson('test_echo', ['after'], 2)}]`)
      expect((await client.closed).code).toBe(1001)
      expect(JSON.parse(client.messages[0] as string)).toMatchObject([{ result: true }, { result: 'after' }])
      await expect(RawSocket.open(server.ws)).rejects.toThrow()
      expect(parseResult(await postJson(server.http, echo))).toBe('hi')
    },
  )

  test('what is stopped can be started again at once, on the same port', async () => {
    const { port } = new URL(server.http)
    for (let round = 0; round < 3; round++) {
      expect(server.server.stopTransport('http')).toBe(true)
      expect(server.server.stopTransport('http')).toBe(false)
      await server.server.startTransport('http', { port: Number(port) })
      expect(parseResult(await postJson(server.http, echo))).toBe('hi')
    }
  })

  test('what runs cannot be started a second time', async () => {
    await expect(server.server.startTransport('http')).rejects.toThrow(/already running on 127\.0\.0\.1/)
    server.server.stopTransport('ws')
    const attempts = await Promise.allSettled([
      server.server.startTransport('ws'),
      server.server.startTransport('ws'),
    ])
    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a shared port cannot have rules of its own for one transport', async () => {
    const { port } = new URL(server.http)
    server.server.stopTransport('ws')
    const shared = { host: '127.0.0.1', port: Number(port) }
    await expect(server.server.startTransport('ws', { ...shared, apis: ['test'] })).rejects.toThrow(
      'one port',
    )
    await server.server.startTransport('ws', shared)
    expect(parseResult(await sendWs(server.http.replace('http', 'ws'), echo))).toBe('hi')
  })

  test('what is given wins over the configuration', async () => {
    server.server.stopTransport('http')
    await server.server.startTransport('http', {
      port: 0,
      apis: ['off'],
      cors: ['https://new.example'],
      vhosts: ['*'],
    })
    const { host, port } = server.server.addressOf('http') ?? { host: '', port: 0 }
    const answer = await sendHttp(`http://${host}:${port}`, {
      body: toCallJson('off_echo'),
      headers: { 'Content-Type': 'application/json', Host: 'any.example', Origin: 'https://new.example' },
    })
    expect(answer.status).toBe(200)
    expect(parseResult(answer.body)).toBe(true)
    expect(answer.headers['access-control-allow-origin']).toBe('https://new.example')
    expect(answer.headers['access-control-expose-headers']).toBe('X-Perihelion-Height')
    expect(JSON.parse(await postJson(`http://${host}:${port}`, echo))).toMatchObject({
      error: { code: -32601 },
    })
  })
})
