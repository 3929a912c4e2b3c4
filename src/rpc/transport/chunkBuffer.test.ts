import fc from 'fast-check'
import { expect, test } from 'vitest'
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
