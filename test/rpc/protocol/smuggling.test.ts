import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { postJson } from '../../support/clients.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { countOccurrences, httpPost, RawSocket } from '../../support/rpc/rawSocket.ts'
import { readers, startTestServer, type TestServer } from '../../support/testServer.ts'

/**
 * Requests of which a proxy and this server could think differently where they end. What is hidden in one never runs, and
 * nothing that comes after it on the same connection does.
 */
const hidden = httpPost(toCallJson('test_hear', ['hidden']))
const body = toCallJson('test_hear', ['open'])
const head = (...headers: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...headers, '', ''].join('\r\n')
const length = (bytes: number | string): string => `Content-Length: ${bytes}`
const chunked = 'Transfer-Encoding: chunked'
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const lastChunk = '0\r\n\r\n'

/** The bytes of each, all of which are refused. */
const refused: Readonly<Record<string, string>> = {
  'a length and chunks, the length for the proxy':
    head(length(chunk(body).length + 5 + hidden.length), chunked) + chunk(body) + lastChunk + hidden,
  'a length and chunks, the chunks for the proxy': `${head(length(4), chunked)}${hidden.length.toString(16)}\r\n${hidden}\r\n${lastChunk}`,
  'two lengths': head(length(body.length), length(body.length + hidden.length)) + body + hidden,
  'the same length twice': head(length(body.length), length(body.length)) + body + hidden,
  'two lengths in one header': head(length(`${body.length}, ${body.length + hidden.length}`)) + body + hidden,
  'a length with a sign': head(length(`+${body.length}`)) + body + hidden,
  'a negative length': head(length('-1')) + body + hidden,
  'a length in hex': head(length(`0x${body.length.toString(16)}`)) + body + hidden,
  'a length with a blank inside':
    head(length(`${String(body.length).slice(0, 1)} ${String(body.length).slice(1)}`)) + body + hidden,
  'a length that is too long for a number': head(length('1'.repeat(40))) + body + hidden,
  'an empty length': head(length('')) + body + hidden,
  'chunks twice': head(chunked, chunked) + chunk(body) + lastChunk + hidden,
  'chunks, and identity after them':
    head(chunked, 'Transfer-Encoding: identity') + chunk(body) + lastChunk + hidden,
  'an unknown coding': head('Transfer-Encoding: xchunked') + chunk(body) + lastChunk + hidden,
  'a coding behind chunks': head('Transfer-Encoding: chunked, gzip') + chunk(body) + lastChunk + hidden,
  'a vertical tab before chunks': head('Transfer-Encoding: \x0bchunked') + chunk(body) + lastChunk + hidden,
  'a blank before the colon': head(`Transfer-Encoding : chunked`) + chunk(body) + lastChunk + hidden,
  'a header that goes on in the next line':
    head('Transfer-Encoding:\r\n chunked', length(body.length)) + body + hidden,
  'a line that begins with a blank': head(' X-A: b', length(body.length)) + body + hidden,
  'a header without a colon': head('X-A', length(body.length)) + body + hidden,
  'a line feed alone within a header': head(`X-A: b\n${chunked}`, length(body.length)) + body + hidden,
  'a carriage return alone within a header': head(`X-A: b\r${chunked}`, length(body.length)) + body + hidden,
  'a NUL in a header': head('X-A: \0', length(body.length)) + body + hidden,
  'a chunk with a sign': `${head(chunked)}+${chunk(body)}${lastChunk}${hidden}`,
  'a chunk in hex with a prefix': `${head(chunked)}0x${chunk(body)}${lastChunk}${hidden}`,
  'a chunk with a negative length': `${head(chunked)}-1\r\n${body}\r\n${lastChunk}${hidden}`,
  'a chunk that is too long for a number': `${head(chunked)}${'f'.repeat(20)}\r\n${body}\r\n${lastChunk}${hidden}`,
  'a chunk that is longer than it says': `${head(chunked)}1\r\n${body}\r\n${lastChunk}${hidden}`,
  'a chunk without a length': `${head(chunked)}\r\n${body}\r\n${lastChunk}${hidden}`,
  'a chunk that ends with a line feed alone': `${head(chunked)}${body.length.toString(16)}\n${body}\n0\n\n${hidden}`,
  'the second Host': head('Host: other', length(body.length)) + body + hidden,
  'a version that there is not': `${head(length(body.length)).replace('HTTP/1.1', 'HTTP/1.9')}${body}${hidden}`,
}

describe.each(readers)('what is read in two ways, read by %s', (reader) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer([], { reader })
  })
  afterAll(() => server.close())
  beforeEach(() => void server.context.heard.splice(0))

  test.each(Object.entries(refused))('%s: refused, and nothing runs', async (_, bytes) => {
    const raw = await RawSocket.open(server.http)
    raw.send(Buffer.from(bytes, 'latin1'))
    await raw.closed
    expect(raw.text).toMatch(/^HTTP\/1\.1 (?:400|403|413|415|431|505) /)
    expect(countOccurrences(raw.text, 'HTTP/1.1 ')).toBe(1)
    expect(server.context.heard).toEqual([])
  })

  test('the control: the same requests without what is wrong run, the second one too', async () => {
    for (const first of [head(length(body.length)) + body, head(chunked) + chunk(body) + lastChunk]) {
      server.context.heard.splice(0)
      const raw = await RawSocket.open(server.http)
      raw.send(first + hidden)
      await raw.receive((text) => countOccurrences(text, 'HTTP/1.1 200') === 2)
      expect(server.context.heard).toEqual(['open', 'hidden'])
      raw.close()
    }
  })

  test('after an error nothing of the connection runs, whatever comes and when', async () => {
    const raw = await RawSocket.open(server.http)
    raw.send(httpPost(toCallJson('test_echo', [1])))
    await raw.receive(/"result":1/)
    raw.send('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n')
    raw.send(hidden)
    await sleep(20)
    raw.send(hidden)
    await raw.closed
    expect(countOccurrences(raw.text, 'HTTP/1.1 400')).toBe(1)
    expect(server.context.heard).toEqual([])
    expect(parseResult(await postJson(server.http, toCallJson('test_echo', [2])))).toBe(2)
  })

  test('a body that was refused is not read as a request', async () => {
    const raw = await RawSocket.open(server.http)
    // 415: what follows the headers is a body of this length, and the next request is not read.
    raw.send(
      `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n${length(hidden.length)}\r\n\r\n${hidden}${hidden}`,
    )
    await raw.closed
    expect(raw.text).toMatch(/^HTTP\/1\.1 415 /)
    expect(server.context.heard).toEqual([])
  })
})
