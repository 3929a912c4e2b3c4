import { describe, expect, it } from 'vitest'
import { encodeAbciFrame, FrameError, FrameReader } from './frames.ts'

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index % 251)

const readAll = (stream: Uint8Array, step: number): Uint8Array[] => {
  const reader = new FrameReader()
  const found: Uint8Array[] = []
  for (let at = 0; at < stream.length; at += step) found.push(...reader.push(stream.subarray(at, at + step)))
  return found
}

describe('FrameReader', () => {
  const messages = [0, 1, 127, 128, 300, 16_384].map(bytes)
  const stream = Buffer.concat(messages.map(encodeAbciFrame))

  it.each([1, 2, 3, 7, 1000, stream.length])('finds every message in pieces of %i bytes', (step) => {
    expect(readAll(stream, step).map((found) => Buffer.from(found))).toEqual(
      messages.map((message) => Buffer.from(message)),
    )
  })

  it('gives none before it is whole', () => {
    expect(readAll(stream.subarray(0, stream.length - 1), 50)).toHaveLength(messages.length - 1)
  })

  it('refuses lengths that are too large or have no end', () => {
    expect(() => readAll(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f), 5)).toThrow(FrameError)
    expect(() => readAll(new Uint8Array(5).fill(0xff), 1)).toThrow('has no end')
  })
})
