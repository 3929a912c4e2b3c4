import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePorts, portsFrom } from './ports.ts'

it('finds free ports that no outgoing connection gets while a node is away', async () => {
  const ports = await freePorts(40)
  expect(new Set(ports).size).toBe(40)
  // Linux gives 32768 and above to outgoing connections, macOS and Windows 49152 and above.
  expect(ports.filter((port) => port < 1024 || port >= 32_768)).toEqual([])
})

it('rejects a row of ports of which one is taken', async () => {
  const [first = 0] = await freePorts(1)
  const server = createServer().listen(first, '127.0.0.1')
  await once(server, 'listening')
  await expect(portsFrom(first, 1)).rejects.toThrow(`127.0.0.1:${first}`)
  server.close()
  await once(server, 'close')
})
