import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost } from '../../support/rpc/rawSocket.ts'

/** The largest body that the servers of this suite take, in bytes. */
export const maxBodyBytes = 16_384

/** The request that follows each of the others on the same connection, and what its answer holds. */
export const followUp = httpPost(toCallJson('test_echo', ['the next request']), ['X-Case: next'])
export const followUpAnswer = '"result":"the next request"'

const body = toCallJson('test_echo', ['first'])
const tooLarge = 'x'.repeat(maxBodyBytes + 1)
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const lastChunk = '0\r\n\r\n'
const length = (text: string): string => `Content-Length: ${text.length}`
const chunked = 'Transfer-Encoding: chunked'

const methods = ['POST', 'GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'] as const

const paths = [
  '/',
  '/health',
  '/unknown',
  '/assets/unknown.js',
  '/?a=b',
  '//',
  '/%2e%2e/x',
  '/a/b/c',
] as const

interface Framing {
  readonly headers: readonly string[]
  readonly body: string
}

/** How a body is framed. Each is whole: an unfinished one has no request after it. */
const framings: Readonly<Record<string, Framing>> = {
  'no body': { headers: [], body: '' },
  'a length of 0': { headers: ['Content-Length: 0'], body: '' },
  'a length': { headers: [length(body)], body },
  'an unreadable body': { headers: [length('{"')], body: '{"' },
  chunks: { headers: [chunked], body: chunk(body.slice(0, 9)) + chunk(body.slice(9)) + lastChunk },
  'no chunk': { headers: [chunked], body: lastChunk },
  'chunks with a trailer': {
    headers: [chunked, 'Trailer: X-A'],
    body: `${chunk(body)}0\r\nX-A: b\r\n\r\n`,
  },
  'too large a length': { headers: [length(tooLarge)], body: tooLarge },
  'too many chunks': { headers: [chunked], body: chunk(tooLarge) + lastChunk },
  'a length after 100-continue': { headers: [length(body), 'Expect: 100-continue'], body },
  'chunks after 100-continue': { headers: [chunked, 'Expect: 100-continue'], body: chunk(body) + lastChunk },
  'an unknown expectation': { headers: [length(body), 'Expect: wonders'], body },
  'a compressed body': { headers: [length(body), 'Content-Encoding: gzip'], body },
  'an offer of h2c': { headers: [length(body), 'Connection: Upgrade', 'Upgrade: h2c'], body },
}

const json = 'Content-Type: application/json'
const local = 'Host: localhost'

/** Headers by which a request is let in or refused. */
const admissions: Readonly<Record<string, (token: string) => readonly string[]>> = {
  'let in': () => [local, json],
  'with a token': (token) => [local, json, `Authorization: Bearer ${token}`],
  'with a bad token': () => [local, json, 'Authorization: Bearer a.b.c'],
  'of another host': () => ['Host: example.org', json],
  'of a page': () => [local, json, 'Origin: http://localhost'],
  'of a foreign page': () => [local, json, 'Origin: http://example.org'],
  'of another type': () => [local, 'Content-Type: text/plain'],
  'with two types': () => [local, json, 'Content-Type: text/plain'],
}

export interface RequestCase {
  readonly name: string
  /** The head and the body. */
  readonly bytes: string
}

/** Returns every method with every path, framing and admission. */
export const requestCases = (token: string): readonly RequestCase[] =>
  methods.flatMap((method) =>
    paths.flatMap((path) =>
      Object.entries(framings).flatMap(([framing, { headers, body: text }]) =>
        Object.entries(admissions).map(([admission, admit]) => ({
          name: `${method} ${path} with ${framing}, ${admission}`,
          bytes: `${[`${method} ${path} HTTP/1.1`, ...admit(token), ...headers, '', ''].join('\r\n')}${text}`,
        })),
      ),
    ),
  )

/** Returns some of the cases: every method with every path and framing, the admissions in turn. */
export const someOf = (cases: readonly RequestCase[]): readonly RequestCase[] => {
  const { length: count } = Object.keys(admissions)
  return cases.filter((_, index) => index % count === Math.floor(index / count) % count)
}

const upgrade = (...headers: readonly string[]): string =>
  ['GET / HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', ...headers, '', ''].join('\r\n')
const key = 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='
const version = 'Sec-WebSocket-Version: 13'

/** Upgrades that are refused. */
export const refusedUpgrades: Readonly<Record<string, string>> = {
  'of another host': upgrade('Host: example.org', key, version),
  'of a foreign page': upgrade(local, key, version, 'Origin: http://example.org'),
  'with a bad token': upgrade(local, key, version, 'Authorization: Bearer a.b.c'),
  'without a key': upgrade(local, version),
  'of another version': upgrade(local, key, 'Sec-WebSocket-Version: 7'),
  'by POST': upgrade(local, key, version).replace('GET', 'POST'),
  'by CONNECT': `CONNECT localhost:1 HTTP/1.1\r\n${local}\r\n\r\n`,
}

const post = (...headers: readonly string[]): string =>
  ['POST / HTTP/1.1', local, json, ...headers, '', ''].join('\r\n')

/** Requests that end before their bodies do. */
export const unfinished: Readonly<Record<string, string>> = {
  'a head': post().slice(0, -2),
  'a length': `${post(length(body))}${body.slice(0, 9)}`,
  'a chunk': `${post(chunked)}${chunk(body).slice(0, 9)}`,
  'chunks without the last one': post(chunked) + chunk(body),
  'a body after 100-continue': post(length(body), 'Expect: 100-continue'),
  'a refused body': `${post(length(body), 'Authorization: Bearer a.b.c')}${body.slice(0, 9)}`,
  'a body that is too large': `${post(length(tooLarge))}${tooLarge.slice(0, 9)}`,
  'a body of a GET': `${post(length(body)).replace('POST /', 'GET /unknown')}${body.slice(0, 9)}`,
}
