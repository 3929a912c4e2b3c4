import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postJson, sendIpc, sendWs } from '../../support/clients.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'
import { readConversation } from './conversation.ts'

/** Small limits, so that the cases that cross them stay readable. */
const flags = [
  '--json-rpc.batch-request-limit=10',
  '--json-rpc.batch-response-max-size=4000',
  '--json-rpc.http-timeout=200ms',
]

const fillIn = (text: string): string =>
  text
    .replace(/\{\{nest (\d+)\}\}/g, (_, depth) => '['.repeat(Number(depth)) + ']'.repeat(Number(depth)))
    .replace(/\{\{calls (\d+)\}\}/g, (_, count) =>
      Array.from(
        { length: Number(count) },
        (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"test_echo","params":[${id}]}`,
      ).join(),
    )

describe.each(readers)('the envelope, over every transport, HTTP read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(flags, { reader })
  })
  afterAll(() => server.close())

  const senders: Record<string, (body: string, expectsAnswer: boolean) => Promise<string>> = {
    http: (body) => postJson(server.http, body),
    ws: (body, expectsAnswer) => sendWs(server.ws, body, { expectsAnswer }),
    ipc: (body, expectsAnswer) => sendIpc(server.ipcPath, body, { expectsAnswer }),
  }

  for (const { title, line, transports, body, answer } of readConversation(
    new URL('envelope.io', import.meta.url),
  )) {
    test.each(transports)(`line ${line}: ${title} (%s)`, async (transport) => {
      const expected = fillIn(answer ?? '')
      const send = senders[transport] as (typeof senders)[string]
      expect(await send(fillIn(body ?? ''), expected !== '')).toBe(expected)
    })
  }
})
