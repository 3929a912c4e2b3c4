import { describe, expect, test } from 'vitest'
import { HeadReader } from './headReader.ts'

const request = (length: number | string, agent = 'a'): Buffer =>
  Buffer.from(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\nUser-Agent: ${agent}\r\n\r\n{}`,
  )

describe('HeadReader', () => {
  test('gives the same head for the same bytes, with the length that is there', () => {
    const reader = new HeadReader()
    const first = reader.read(request(2), 0)
    expect(first).toBeTypeOf('object')
    expect([reader.bodyFrom, reader.bodyLength]).toEqual([request(2).length - 2, 2])
    for (const length of [2, 7, 12_345]) {
      const bytes = Buffer.concat([Buffer.from('before'), request(length)])
      expect(reader.read(bytes, 6)).toBe(first)
      expect([reader.bodyFrom, reader.bodyLength]).toEqual([bytes.length - 2, length])
    }
  })

  test('reads another head again, and the first one after it', () => {
    const reader = new HeadReader()
    const first = reader.read(request(2), 0)
    const second = reader.read(request(2, 'b'), 0)
    expect(second).not.toBe(first)
    expect(second).toMatchObject({ headers: { 'user-agent': 'b' } })
    expect(reader.read(request(2), 0)).toMatchObject({ headers: { 'user-agent': 'a' } })
  })

  test.each(['0', '02', '+2', '2 ', '1234567890', '', '2x'])(
    'after a good head the length %j is judged as before it',
    (length) => {
      const reader = new HeadReader()
      reader.read(request(2), 0)
      expect(reader.read(request(length), 0)).toBe('other')
    },
  )

  test('wants more at every place within a head', () => {
    const bytes = request(2).subarray(0, -2)
    for (let end = 1; end < bytes.length; end++) {
      const reader = new HeadReader()
      expect(reader.read(bytes.subarray(0, end), 0)).toBe('partial')
      reader.read(bytes, 0)
      expect(reader.read(bytes.subarray(0, end), 0)).toBe('partial')
    }
  })

  test('leaves a long head to node:http', () => {
    expect(new HeadReader().read(request(2, 'a'.repeat(5000)), 0)).toBe('other')
  })
})
