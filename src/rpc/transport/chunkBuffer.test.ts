import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ChunkBuffer } from './chunkBuffer.ts'

test('what was gathered is what came', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 30 })
  fc.assert(
    fc.property(fc.array(chunks, { maxLength: 3 }), (messages) => {
      const gather = new ChunkBuffer()
      for (const message of messages) {
        for (const chunk of message) gather.add(Buffer.from(chunk))
        const whole = Buffer.concat(message)
        expect(gather.size).toBe(whole.length)
        expect(gather.take().equals(whole)).toBe(true)
        expect(gather.size).toBe(0)
      }
    }),
  )
})

test('a single chunk is not copied', () => {
  const gather = new ChunkBuffer()
  const chunk = Buffer.from('all of it')
  gather.add(chunk)
  expect(gather.take().buffer).toBe(chunk.buffer)
})

test('the chunks of a caller are never written into', () => {
  const gather = new ChunkBuffer()
  const slab = Buffer.from('aaaaXXXX')
  gather.add(slab.subarray(0, 4))
  gather.add(Buffer.from('bb'))
  expect(gather.take().toString()).toBe('aaaabb')
  expect(slab.toString()).toBe('aaaaXXXX')
})

test('the buffer grows in few steps to the size that is known, and no further ahead than eight times what came', () => {
  const allocated = (expected: number | undefined, come: number): readonly number[] => {
    const spy = vi.spyOn(Buffer, 'allocUnsafeSlow')
    const gather = new ChunkBuffer(expected)
    for (let at = 0; at < come; at += 65_536) gather.add(Buffer.alloc(Math.min(65_536, come - at)))
    const lengths = spy.mock.calls.map(([length]) => length)
    spy.mockRestore()
    expect(gather.take()).toHaveLength(come)
    return lengths
  }
  expect(allocated(5_000_000, 5_000_000)).toEqual([1_048_576, 5_000_000])
  expect(allocated(undefined, 5_000_000)).toHaveLength(5)
  expect(allocated(5_000_000, 131_072)).toEqual([1_048_576])
  // More than was said.
  expect(allocated(70_000, 200_000)).toEqual([262_144])
})
