import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { median, percentile } from '../../bench/support/load/percentile.ts'
import { driveRawLoad, encodeRequest } from '../../bench/support/load/rawLoad.ts'
import { ResponseReader } from '../../bench/support/load/responseReader.ts'

describe('percentiles', () => {
  test('are values of the list, by nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1)
    expect(percentile(values, 0.5)).toBe(50)
    expect(percentile(values, 0.99)).toBe(99)
    expect(percentile(values, 0)).toBe(1)
    expect(percentile(values, 1)).toBe(100)
    expect(percentile([7], 0.99)).toBe(7)
    expect(percentile([], 0.5)).toBeNaN()
  })

  test('the median is between the two in the middle', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([3, 1, 2])).toBe(2)
  })
})

const bodyOf = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const chunked = (...parts: string[]): string =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n` +
  `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`

describe('the reader of responses', () => {
  const wire =
    bodyOf('{"result":"0x1"}') +
    chunked('{"result":', '"0x2"}') +
    bodyOf('{"error":{"code":-32000}}') +
    chunked('{"error":{"code":-32000}}') +
    bodyOf('') +
    'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno' +
    bodyOf('{"result":"0x3"}')
  const expected = [
    [false, 16],
    [false, 16],
    [true, 25],
    [true, 25],
    [false, 0],
    [true, 2],
    [false, 16],
  ]

  test.each([1, 2, 3, 7, 64, 10_000])('sees the same responses in pieces of %i bytes', (size) => {
    const seen: [boolean, number][] = []
    const reader = new ResponseReader((isError, bytes) => seen.push([isError, bytes]))
    // One buffer that is used again, as the generator's.
    const piece = Buffer.alloc(size)
    const bytes = Buffer.from(wire)
    for (let at = 0; at < bytes.length; at += size) {
      const length = bytes.copy(piece, 0, at, at + size)
      reader.push(piece.subarray(0, length))
    }
    // An error whose body comes in pieces may go unseen; everything else may not.
    expect(seen.map(([, length]) => length)).toEqual(expected.map(([, length]) => length))
    if (size >= 10_000) expect(seen).toEqual(expected)
  })
})

describe('the raw generator', () => {
  let server: Server | undefined
  afterEach(() => server?.close())

  test('sends every request in turn and counts answers and errors', async () => {
    const seen = new Map<string, number>()
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        seen.set(body, (seen.get(body) ?? 0) + 1)
        response.end(body.includes('bad') ? '{"error":{}}' : '{"result":1}')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const requests = ['one', 'two', 'bad'].map(encodeRequest)
    const result = await driveRawLoad({ port, requests, connections: 4, seconds: 0.2 })
    const counts = [...seen.values()]
    expect([...seen.keys()].sort()).toEqual(['bad', 'one', 'two'])
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
    expect(result.requests).toBe(counts.reduce((sum, count) => sum + count, 0))
    expect(result.errors).toBe(seen.get('bad'))
    expect(result.bytes).toBeCloseTo(12, 5)
    expect(result.p99Ms).toBeGreaterThanOrEqual(result.p50Ms)
  })

  test('fails where the server closes a connection', async () => {
    server = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // it listens on a port
    const load = driveRawLoad({ port, requests: [encodeRequest('x')], connections: 1, seconds: 0.1 })
    await expect(load).rejects.toThrow()
  })
})
