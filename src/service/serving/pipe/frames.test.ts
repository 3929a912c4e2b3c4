import type { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { FrameChannel } from './frames.ts'

/** Returns the bytes that a channel writes for some frames. */
const framesOf = async (send: (channel: FrameChannel) => void): Promise<Buffer> => {
  const stream = new PassThrough()
  // A stream that gives back what is written: what is sent is received by the same channel, which does not matter here.
  const channel = new FrameChannel(stream as unknown as Socket, () => {})
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  send(channel)
  // What is sent in one turn is written at its end.
  await new Promise((resolve) => setImmediate(resolve))
  return Buffer.concat(chunks)
}

test.each([1, 2, 8, 9, 10, 1000])(
  'frames come out whole when they arrive in pieces of %d bytes',
  async (size) => {
    const bytes = await framesOf((channel) => {
      channel.sendText(1, 4_000_000_000, 'héllo')
      channel.send(2, 7, [Buffer.from('a'), Buffer.from('bc')])
      channel.send(3, 0)
      channel.sendText(1, 5, 'x'.repeat(500))
    })
    const received: [number, number, string][] = []
    const stream = new PassThrough()
    new FrameChannel(stream as unknown as Socket, (kind, id, payload) =>
      received.push([kind, id, payload.toString()]),
    )
    for (let at = 0; at < bytes.length; at += size) {
      stream.write(bytes.subarray(at, at + size))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(received).toEqual([
      [1, 4_000_000_000, 'héllo'],
      [2, 7, 'abc'],
      [3, 0, ''],
      [1, 5, 'x'.repeat(500)],
    ])
  },
)
