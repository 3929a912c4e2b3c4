import { expect, test } from 'vitest'
import type { ClientConnection } from '../../../base/notification.ts'
import type { CallScope } from '../../../rpc/method.ts'
import { type FrameChannel, frameKinds } from './frames.ts'
import { MainProcess } from './mainProcess.ts'
import { RemoteConnection } from './remoteConnection.ts'

test('who can wait in the main process waits for a client of another one', () => {
  const drained: (() => void)[] = []
  const socket = {
    isFull: false,
    push: () => {},
    onceDrained: (listener: () => void) => drained.push(listener),
    onceClosed: () => {},
  }
  const remote = new RemoteConnection(1, { backlog: 0 } as FrameChannel)
  const send = (kind: number): void => {
    if (kind === frameKinds.connectionFull) remote.setFull(true)
    if (kind === frameKinds.connectionDrained) remote.setFull(false)
  }
  const main = new MainProcess({ backlog: 0, sendText: () => {}, send } as unknown as FrameChannel) // what is used
  const scope = {
    caller: {
      transport: 'ws',
      address: '127.0.0.1',
      isLocal: true,
      authorizedUntil: 0,
      userAgent: undefined,
    },
    connection: socket as unknown as ClientConnection, // what is used
    signal: new AbortController().signal,
  }
  void main.call('eth_chainId', [], scope as unknown as CallScope)
  const push = () => main.receive(frameKinds.push, 1, Buffer.from('{}'))

  push()
  expect(remote.isFull).toBe(false)
  socket.isFull = true
  push()
  push()
  expect(remote.isFull).toBe(true)
  expect(drained).toHaveLength(1)
  let resumed = 0
  remote.onceDrained(() => resumed++)
  expect(resumed).toBe(0)
  drained[0]?.()
  expect(resumed).toBe(1)
  expect(remote.isFull).toBe(false)
})
