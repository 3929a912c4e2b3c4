import type { Random } from '../../support/random.ts'
import { toCallJson } from '../../support/rpc/calls.ts'
import { httpPost } from '../../support/rpc/rawSocket.ts'

/** The end of most streams: a request after whose response the server closes the connection. */
export const lastRequest = httpPost(toCallJson('test_echo', ['last']), ['Connection: close'])

const headers: readonly string[] = [
  'Accept: */*',
  'Accept-Encoding: gzip, br',
  'Accept-Language: en',
  'Authorization: Bearer abc.def.ghi',
  'Cache-Control: no-cache',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'Connection: close',
  'Connection: keep-alive, x-a',
  'Content-Encoding: identity',
  'Content-Encoding: gzip',
  'Cookie: a=b; c=d',
  'Expect: 100-continue',
  'Expect: nothing',
  'Forwarded: for=192.0.2.1',
  'Host: localhost',
  'Keep-Alive: timeout=5',
  'Origin: http://localhost',
  'Origin: http://evil.example',
  'Proxy-Connection: keep-alive',
  'Sec-Fetch-Mode: cors',
  'TE: trailers',
  'Trailer: X-A',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Upgrade: h2c',
  'User-Agent: a client',
  'Via: 1.1 proxy',
  'X-Api-Key: abc',
  'X-Forwarded-For: 192.0.2.1, 127.0.0.1',
  'X-A:b',
  'X-A:  b ',
  'X-A: \t b',
  'X-A:',
  'X-B: \u00e9',
  'X_C: d',
  'content-length: 3',
  'Content-Length: 70',
  'Content-Type: text/plain',
]

const unusual: readonly string[] = [
  'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n',
  'OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n',
  'PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nab',
  'POST / HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'POST / HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 02\r\n\r\n{}',
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  '\r\nPOST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
]

/** Returns a body that is answered at once or a moment later, with what runs remembered under `name`. */
const createBody = (random: Random, name: string): string => {
  const one = (): string => {
    const id = random.pick(['1', '"x"', 'null', '-0.5', '"\u00e9\u20ac"', '[]', undefined])
    const call = random.pick([
      toCallJson('test_echo', [random.pick(['a', '\u00e9', 12, null, [1, { a: 'b' }]])]),
      toCallJson('test_hear', [`${name} ${random.below(1000)}`]),
      toCallJson('test_add', [random.pick([1, 'x']), 2]),
      toCallJson('test_fail', [{ a: 1 }]),
      toCallJson('test_raw'),
      toCallJson('test_nothing'),
      toCallJson('test_private'),
      toCallJson('test_none'),
      toCallJson('test_fill', [random.pick([10, 2000, 40_000, 200_000])]),
      toCallJson('test_sleep', [random.below(4)]),
    ])
    return id === undefined ? call.replace(/"id":1,?/, '') : call.replace('"id":1', `"id":${id}`)
  }
  switch (random.below(12)) {
    case 0:
      return `[${Array.from({ length: 1 + random.below(4) }, one).join(',')}]`
    case 1:
      return random.pick(['', '[]', '{', '{}', 'null', '\ufffd', '{"jsonrpc":"2.0"}', 'x'.repeat(9000)])
    case 2:
      return toCallJson('test_echo', ['y'.repeat(random.pick([5000, 70_000, 120_000]))])
    default:
      return one()
  }
}

/** Returns the bytes of one request, most of them ordinary. */
const createRequest = (random: Random, name: string): Buffer => {
  if (random.chance(0.08)) return Buffer.from(random.pick(unusual), 'latin1')
  const body = createBody(random, name)
  const added = random.chance(0.4) ? [random.pick(headers)] : []
  if (random.chance(0.1)) added.push(random.pick(headers))
  let text = httpPost(body, added)
  if (random.chance(0.1))
    text = text.replace(
      'POST / ',
      `POST ${random.pick(['/a?b=c', '/%41', '*', '/\u00e9', 'http://localhost/'])} `,
    )
  if (random.chance(0.05))
    text = text.replace(
      'Host: localhost',
      random.pick(['host:localhost', 'Host: evil.example', 'HOST: 127.0.0.1:1']),
    )
  const bytes = Buffer.from(text)
  // A body that is not UTF-8.
  if (random.chance(0.03) && bytes.length > 0) bytes[bytes.length - 3] = 0xff
  return bytes
}

/** Changes a byte, removes a few, or repeats a line. */
const mutate = (bytes: Buffer, random: Random): Buffer => {
  const at = random.below(bytes.length)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)]
  switch (random.below(5)) {
    case 0:
      return Buffer.concat([before, Buffer.of(random.pick([0, 9, 10, 13, 32, 58, 0x7f, 0x80, 0xff])), after])
    case 1:
      return Buffer.concat([before, after.subarray(1 + random.below(3))])
    case 2:
      return Buffer.concat([before, Buffer.of(random.below(256)), after.subarray(1)])
    case 3: {
      const line = bytes.subarray(at, bytes.indexOf('\n', at) + 1)
      return Buffer.concat([before, line, after])
    }
    default:
      return Buffer.concat([before, Buffer.from(random.pick(headers), 'latin1'), Buffer.from('\r\n'), after])
  }
}

/** Returns what a client sends on one connection, in the pieces in which it sends it. */
export const createStream = (random: Random, name: string): Buffer[] => {
  const requests = Array.from({ length: 1 + random.below(5) }, () => createRequest(random, name))
  let bytes: Buffer = Buffer.concat([...requests, Buffer.from(lastRequest)])
  if (random.chance(0.35)) bytes = mutate(bytes, random)
  return cut(
    bytes,
    Array.from({ length: random.pick([0, 0, 1, 2, 6]) }, () => random.below(bytes.length)),
  )
}

/** Cuts bytes at the given places. */
export const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}
