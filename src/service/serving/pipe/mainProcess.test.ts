import { expect, test } from 'vitest'
import { errorCodes } from '../../../rpc/errors.ts'
import type { CallScope } from '../../../rpc/method.ts'
import { type FrameChannel, frameKinds } from './frames.ts'
import { MainProcess } from './mainProcess.ts'

test('a call that its client has left ends, so that it does not count among those that run', async () => {
  const sent: number[] = []
  const channel = { backlog: 0, sendText: () => {}, send: (kind: number) => sent.push(kind) }
  const main = new MainProcess(channel as unknown as FrameChannel) // what is used
  const client = new AbortController()
  const scope = { caller: {}, connection: undefined, signal: client.signal } as unknown as CallScope // what is used
  const call = main.call('eth_getFilterLogs', ['0x1'], scope)
  client.abort()
  await expect(call).rejects.toMatchObject({ code: errorCodes.unavailable })
  expect(sent).toEqual([frameKinds.abort])
  // The response that was on its way belongs to nobody.
  expect(main.receive(frameKinds.result, 1, Buffer.from('[]'))).toBe(true)
})
