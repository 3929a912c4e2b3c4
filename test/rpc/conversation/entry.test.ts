import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sendHttp } from '../../support/clients.ts'
import { forgeToken } from '../../support/rpc/forgeToken.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'
import { readConversation } from './conversation.ts'

const flags = [
  '--json-rpc.max-body-size=4000',
  '--json-rpc.vhosts=rpc.example',
  '--json-rpc.cors=https://app.example',
]

const texts: Readonly<Record<string, string>> = {
  echo: '{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["hi"]}',
  echoed: '{"jsonrpc":"2.0","id":1,"result":"hi"}',
  private: '{"jsonrpc":"2.0","id":1,"method":"test_private"}',
  granted: '{"jsonrpc":"2.0","id":1,"result":true}',
}

const makeToken = (specification: string, secret: Uint8Array): string => {
  const [claims = '', header, key] = specification.split(' ')
  return forgeToken({
    claims: JSON.parse(claims),
    ...(header !== undefined && { header: JSON.parse(header) as object }),
    secret: key === 'other' ? new Uint8Array(32) : secret,
    digest: key === 'none' || key === 'sha512' ? key : 'sha256',
  })
}

describe.each(readers)('who is let in over HTTP, read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(flags, { reader })
  })
  afterAll(() => server.close())

  const fillIn = (text: string): string =>
    text
      .replace(/\{\{token (.*?)\}\}(?!\})/g, (_, specification: string) =>
        makeToken(specification, server.secret),
      )
      .replace(/\{\{fill (\d+)\}\}/g, (_, length) => 'x'.repeat(Number(length)))
      .replace(/\{\{bytes ([0-9a-f]+)\}\}/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'))
      .replace(/\{\{(\w+)\}\}/g, (_, name: string) => texts[name] ?? `{{${name}}}`)

  for (const exchange of readConversation(new URL('entry.io', import.meta.url))) {
    test(`line ${exchange.line}: ${exchange.title}`, async () => {
      const answer = await sendHttp(server.http, {
        method: exchange.method,
        path: exchange.path,
        headers: Object.fromEntries(exchange.headers.map(([name, value]) => [name, fillIn(value)])),
        ...(exchange.body !== undefined && { body: Buffer.from(fillIn(exchange.body), 'latin1') }),
      })
      if (exchange.status !== undefined) expect(answer.status).toBe(exchange.status)
      for (const [name, value] of exchange.answerHeaders) {
        expect(answer.headers[name.toLowerCase()], name).toBe(value)
      }
      if (exchange.answer !== undefined) expect(answer.body).toBe(fillIn(exchange.answer))
      for (const part of exchange.answerParts) expect(answer.body).toContain(part)
    })
  }
})
