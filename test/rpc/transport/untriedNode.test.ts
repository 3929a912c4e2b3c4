import { Server } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { WsClient } from '../../support/rpc/wsClient.ts'
import { startTestServer } from '../../support/testServer.ts'

afterEach(() => vi.restoreAllMocks())

const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: ['x'] })

test('where node:http has another way to read connections it reads all of them', async () => {
  vi.spyOn(Server.prototype, 'listeners').mockReturnValue([])
  const server = await startTestServer()
  try {
    expect(JSON.parse(await postJson(server.http, call))).toMatchObject({ id: 1 })
    const socket = await WsClient.open(server.ws)
    expect(JSON.parse(await socket.ask(call))).toMatchObject({ id: 1 })
    socket.socket.close()
    expect(server.logLines.join('\n')).toContain('node:http reads every request')
  } finally {
    await server.close()
  }
})
