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
  const messages = [1, 127, 128, 300, 16_384].map(bytes)
  const stream = Buffer.concat(messages.map(encodeAbciFrame))

  it.each([1, 2, 3, 7, 1000, stream.length])('finds every message in pieces of %i bytes', (step) => {
    expect(readAll(stream, step).map((found) => Buffer.from(found))).toEqual(
      messages.map((message) => Buffer.from(message)),
    )
  })

  it('gives none before it is whole', () => {
    expect(readAll(stream.subarray(0, stream.length - 1), 50)).toHaveLength(messages.length - 1)
  })

  it('never changes what it gave, whatever comes later', () => {
    const reader = new FrameReader()
    const frame = encodeAbciFrame(bytes(20))
    // The end of the first comes with the beginning of the second, into the same memory.
    reader.push(frame.subarray(0, 15)).next()
    const [first] = reader.push(Buffer.concat([frame.subarray(15), frame.subarray(0, 3)]))
    const [second] = reader.push(Buffer.concat([frame.subarray(3), bytes(200).fill(9)]))
    expect([first, second].map((found) => Buffer.from(found ?? []))).toEqual(
      [bytes(20), bytes(20)].map(Buffer.from),
    )
  })

  it('holds a message in single bytes in hardly more memory than it has', () => {
    const reader = new FrameReader()
    const frame = encodeAbciFrame(bytes(1_000_000))
    for (let at = 0; at < frame.length - 1; at++) reader.push(frame.slice(at, at + 1)).next()
    // One object for each of these pieces was over 100 MB.
    expect(reader.heldBytes).toBeLessThan(2 * frame.length)
    expect(reader.push(frame.subarray(-1)).next().value).toHaveLength(1_000_000)
  })

  it('rejects lengths that are missing, too large or without end', () => {
    expect(() => readAll(new Uint8Array(100_000), 100_000)).toThrow('a message has no bytes')
    expect(() => readAll(Uint8Array.of(0x80, 0x80, 0), 1)).toThrow('a message has no bytes')
    expect(() => readAll(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f), 5)).toThrow(FrameError)
    expect(() => readAll(new Uint8Array(5).fill(0xff), 1)).toThrow('has no end')
  })
})
