import { describe, expect, test } from 'vitest'
import { mayBecomeHead, readHead } from './requestHead.ts'

const head = (...lines: readonly string[]): string =>
  ['POST / HTTP/1.1', 'Host: localhost', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')
const length = 'Content-Length: 12'

describe('readHead', () => {
  test('reads target, headers and where the length is', () => {
    const text = head(length, 'user-agent: a client', 'X-Own: 1').replace('POST /', 'POST /key?a=b')
    const read = readHead(text)
    expect(read).toMatchObject({
      url: '/key?a=b',
      headers: { host: 'localhost', 'content-length': '12', 'user-agent': 'a client', 'x-own': '1' },
    })
    expect(read?.rawHeaders.slice(-4)).toEqual(['user-agent', 'a client', 'X-Own', '1'])
    expect(text.slice(read?.lengthFrom, read?.lengthTo)).toBe('12')
  })

  test.each([
    ['another method', head(length).replace('POST', 'PUT')],
    ['another version', head(length).replace('1.1', '1.0')],
    ['another host in the target', head(length).replace('POST /', 'POST http://localhost/')],
    ['a target with other characters', head(length).replace('POST /', 'POST /a#b')],
    ['no host', head(length).replace('Host', 'X-Host')],
    ['no length', head()],
    ['two lengths', head(length, length)],
    ['a length with a zero before it', head('Content-Length: 012')],
    ['the length 0', head('Content-Length: 0')],
    ['a length with a sign', head('Content-Length: +12')],
    ['a length that is too long', head('Content-Length: 1234567890')],
    ['chunks', head(length, 'Transfer-Encoding: chunked')],
    ['an expectation', head(length, 'Expect: 100-continue')],
    ['an upgrade', head(length, 'Connection: Upgrade', 'Upgrade: websocket')],
    ['a connection that closes', head(length, 'Connection: close')],
    ['a compressed body', head(length, 'Content-Encoding: gzip')],
    ['an unknown header', head(length, 'Strange: 1')],
    ['any header twice', head(length, 'Accept: a', 'accept: b')],
    ['a blank before the colon', head(length, 'Accept : a')],
    ['a line without a colon', head(length, 'Accept')],
    ['an empty value', head(length, 'Accept:')],
    ['a value with blanks around it', head(length, 'Accept:  a')],
    ['a value with a blank behind it', head(length, 'Accept: a ')],
    ['a header that goes on in the next line', head(length, 'Accept: a', ' b')],
    ['a line feed alone', head(length, 'Accept: a\nX-B: c')],
    ['a carriage return alone', head(length, 'Accept: a\rX-B: c')],
    ['a tab', head(length, 'Accept:\ta')],
    ['a byte that is not ASCII', head(length, 'Accept: \u00e9')],
    ['a line break before it', `\r\n${head(length)}`],
  ])('leaves %s to node:http', (_, text) => {
    expect(readHead(text)).toBeUndefined()
  })
})

describe('mayBecomeHead', () => {
  test('is true for every beginning of an ordinary head', () => {
    const text = head(length).slice(0, -2)
    for (let end = 1; end < text.length; end++)
      expect(mayBecomeHead(text.slice(0, end)), text.slice(0, end)).toBe(true)
  })

  test.each([
    'G',
    'POST  /',
    'POST / HTTP/1.1\nHost',
    'POST / HTTP/1.1\r\nA: \0',
    'POST / HTTP/1.1\rA',
    `POST /${'a'.repeat(5000)}`,
  ])('is false for %j', (text) => {
    expect(mayBecomeHead(text)).toBe(false)
  })
})
