import { Server } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { openConnections } from '../../support/rpc/gauges.ts'
import { httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { WsClient } from '../../support/rpc/wsClient.ts'
import { startTestServer } from '../../support/testServer.ts'

afterEach(() => vi.restoreAllMocks())

// A server looks for the listener of node:http when it is made.
const hideListeners = () => vi.spyOn(Server.prototype, 'listeners').mockReturnValue([])
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: ['x'] })

test('where node:http has another way to read connections it reads all of them', async () => {
  hideListeners()
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

test('there too a connection over the cap is closed at once, and others go on', async () => {
  hideListeners()
  const server = await startTestServer(['--json-rpc.max-open-connections=1'])
  try {
    const open = await RawSocket.open(server.http)
    await eventually(async () => (await openConnections(server.registry)) === 1)
    const over = await RawSocket.open(server.http)
    over.send(httpPost(call))
    await over.closed
    expect(over.text).toBe('')
    await open.send(httpPost(call)).receive(/"result":"x"/)
    // What is not an upgrade after all goes back to node:http, and is the same connection.
    const again = httpPost(call.replace('"x"', '"again"'), ['Connection: Upgrade', 'Upgrade: h2c'])
    await open.send(again).receive(/"result":"again"/)
    open.close()
    await eventually(async () => (await openConnections(server.registry)) === 0)
    expect(JSON.parse(await postJson(server.http, call))).toMatchObject({ result: 'x' })
    expect(server.logLines.join('\n')).not.toContain('a request failed')
  } finally {
    await server.close()
  }
})
