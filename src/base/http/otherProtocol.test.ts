import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { download, upload } from './fileTransfer.ts'
import { HttpPoster } from './httpPoster.ts'

const changed = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
const why = 'the server wants another protocol'

let server: Server
let url: string
let requests = 0
beforeAll(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      requests++
      socket.write(changed)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const limits = { maxSockets: 1, idleTimeoutMs: 60_000, maxResponseBytes: 1_000 }

test('a post that is answered with another protocol fails, and so does the next one', async () => {
  const poster = new HttpPoster(url, limits)
  try {
    for (let count = 0; count < 2; count++) await expect(poster.post('{}')).rejects.toThrow(why)
  } finally {
    poster.close()
  }
})

test('a file that is answered with another protocol is tried again, and then given up', async () => {
  const options = { signal: new AbortController().signal, retryMs: 1 }
  const before = requests
  const read = async (): Promise<void> => {
    for await (const _ of download(url, options)) throw new Error('there is no file')
  }
  await expect(read()).rejects.toThrow(why)
  expect(requests - before).toBe(8)
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-protocol-'))
  try {
    writeFileSync(join(folder, 'file'), 'content')
    await expect(upload(join(folder, 'file'), url, options)).rejects.toThrow(why)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
