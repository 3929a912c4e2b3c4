import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../support/testServer.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer(['--json-rpc.http-timeout=1s'])
})
afterAll(() => server.close())

describe('a connection within the process', () => {
  test('answers with the result, and throws the error that a socket would be sent', async () => {
    const connection = server.server.connect(() => {})
    expect(await connection.request('test_echo', ['a'])).toBe('a')
    await expect(connection.request('test_unknown')).rejects.toMatchObject({ code: -32601 })
    await expect(connection.request('test_echo', { a: 1 })).rejects.toMatchObject({ code: -32602 })
    await expect(connection.request('test_echo', [1n])).rejects.toMatchObject({ code: -32602 })
    connection.close()
  })

  test('may call private methods', async () => {
    const connection = server.server.connect(() => {})
    expect(await connection.request('test_private')).toBe(true)
    connection.close()
  })

  test('is refused once it is closed, and says so to who listens', async () => {
    const connection = server.server.connect(() => {})
    const heard: number[] = []
    connection.onClosed(({ code }) => void heard.push(code))
    connection.close()
    connection.close()
    await expect(connection.request('test_echo', ['a'])).rejects.toMatchObject({ code: 4900 })
    expect(heard).toEqual([4900])
  })

  test('a request that runs when it is closed is aborted', async () => {
    const connection = server.server.connect(() => {})
    const running = connection.request('test_sleep', [60_000])
    connection.close()
    await expect(running).rejects.toMatchObject({ code: 4900 })
  })
})
