import { expect, test } from 'vitest'
import { SharedSockets } from './sharedSockets.ts'

test('a transport that is being opened is not opened twice', async () => {
  const sockets = new SharedSockets()
  const settings = { address: undefined, wsAddress: undefined }
  const open = () => sockets.open('ws', { host: '127.0.0.1', port: 0 }, settings)
  const [first, second] = await Promise.allSettled([open(), open()])
  expect(first.status).toBe('fulfilled')
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'ws server is starting already' } })
  expect(sockets.opened).toHaveLength(1)
  expect(sockets.close('ws')).toBe(true)
  await open()
  sockets.closeAll()
})
