import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../../../base/exit.ts'
import { createLogger } from '../../../base/logging/log.ts'
import { clearSignerSocket } from './signerSocket.ts'

let folder: string
let path: string
let server: Server | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-socket-'))
  path = join(folder, 'signer.sock')
})
afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true })
})

const clear = (waitMs?: number, isStopping = false): Promise<void> =>
  clearSignerSocket(`unix://${path}`, createLogger('silent'), {
    isStopping: () => isStopping,
    ...(waitMs !== undefined && { waitMs }),
  })
const taken = expect.objectContaining({ exitCode: exitCodes.addressTaken })

test('a socket that somebody serves is waited for until that process has ended', async () => {
  let probes = 0
  const serving = createServer((socket) => {
    socket.on('error', () => {})
    // The process that was killed ends after it was asked twice.
    if (++probes === 2) serving.close()
  })
  server = serving
  serving.listen(path)
  await once(serving, 'listening')
  await clear()
  expect([probes, existsSync(path)]).toEqual([2, false])
})

test('what stays is rejected, at once where nobody waits for it', async () => {
  server = createServer((socket) => void socket.on('error', () => {})).listen(path)
  await once(server, 'listening')
  await expect(clear(0)).rejects.toEqual(taken)
  await expect(clear(undefined, true)).rejects.toEqual(taken)
})

test('a file that is not a socket is rejected at once, and an address on the network needs no room', async () => {
  writeFileSync(path, '')
  await expect(clear()).rejects.toEqual(taken)
  await clearSignerSocket('tcp://127.0.0.1:1', createLogger('silent'), { isStopping: () => false })
})
