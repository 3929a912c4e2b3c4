import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exitCodes } from '../../../src/base/exit.ts'
import { sendIpc } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { parseResult, toCallJson } from '../../support/rpc/calls.ts'
import { readGauge } from '../../support/rpc/gauges.ts'
import { countOccurrences, RawSocket } from '../../support/rpc/rawSocket.ts'
import { slow } from '../../support/slow.ts'
import { startTestServer, type TestServer, temporaryHome } from '../../support/testServer.ts'

const off = ['--json-rpc.enable=false']

describe('the IPC socket', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer([...off, '--json-rpc.max-body-size=100KB'])
  })
  afterAll(() => server.close())

  const modeOf = (path: string): number => statSync(path).mode & 0o777

  test('is for the owner alone, and so is the folder that is made for it', async () => {
    const umask = process.umask(0)
    const home = temporaryHome()
    const path = join(home, 'a', 'b', 'node.ipc')
    const other = await startTestServer([...off, `--ipc-path=${path}`])
    process.umask(umask)
    expect(modeOf(other.ipcPath)).toBe(0o600)
    expect(modeOf(join(other.ipcPath, '..'))).toBe(0o700)
    await other.close()
    rmSync(home, { recursive: true })
  })

  test('lets its callers use private methods', async () => {
    expect(parseResult(await sendIpc(server.ipcPath, toCallJson('test_private')))).toBe(true)
    expect(parseResult(await sendIpc(server.ipcPath, toCallJson('test_sign')))).toBe(true)
  })

  test('takes messages one after the other without anything between them', async () => {
    const raw = await RawSocket.open(server.ipcPath)
    raw.send(Array.from({ length: 50 }, (_, id) => toCallJson('test_echo', ['}{"][\\"'], id)).join(''))
    await raw.receive((text) => countOccurrences(text, '\n') === 50)
    expect(countOccurrences(raw.text, '"result":"}{\\"][\\\\\\""')).toBe(50)
    raw.close()
  })

  test('takes messages that are split anywhere', async () => {
    const raw = await RawSocket.open(server.ipcPath)
    const bytes = Buffer.from(toCallJson('test_echo', ['Größe "大" \\ {'], 'ä'))
    for (const byte of bytes) {
      raw.send(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const text = Buffer.from(await raw.receive(/\n/), 'latin1').toString()
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 'ä', result: 'Größe "大" \\ {' })
    raw.close()
  })

  test('answers what is not JSON or not UTF-8, and goes on', async () => {
    const raw = await RawSocket.open(server.ipcPath)
    raw
      .send('nonsense\n')
      .send(Buffer.from([0x22, 0xff, 0x22]))
      .send(toCallJson('test_echo', ['still there']))
    await raw.receive(/still there/)
    expect(countOccurrences(raw.text, '"code":-32700')).toBe(2)
    raw.close()
  })

  test('closes on a message that is too long, before its end comes', async () => {
    const raw = await RawSocket.open(server.ipcPath)
    raw.send(`{"jsonrpc":"2.0","id":1,"method":"test_echo","params":["${'x'.repeat(100_000)}`)
    await raw.closed
    expect(raw.text).toBe('')
  })

  test('does not read a client that does not read, and loses nothing', slow, async () => {
    const raw = await RawSocket.open(server.ipcPath)
    raw.socket.pause()
    const count = 400
    const heard = server.context.heard.length
    // Each call is heard and then answered with 100 KB: 40 MB that nobody reads.
    for (let id = 0; id < count; id++)
      raw.send(`[${toCallJson('test_hear', [id])},${toCallJson('test_fill', [100_000], id)}]`)
    await eventually(() => server.context.heard.length > heard)
    await new Promise((resolve) => setTimeout(resolve, 500))
    // The kernel's buffers and one buffer of ours fill up, and then no call is run any more.
    expect(server.context.heard.length - heard).toBeLessThan(150)
    raw.socket.resume()
    await raw.receive((text) => text.length > count * 100_000 && countOccurrences(text, '\n') === count)
    expect(server.context.heard.length - heard).toBe(count)
    raw.close()
  })

  test('a client that goes away takes its calls with it', async () => {
    const before = server.context.aborted
    const raw = await RawSocket.open(server.ipcPath)
    raw.send(toCallJson('test_sleep', [20_000]).repeat(5))
    await raw.send(toCallJson('test_echo', ['running'])).receive(/running/)
    raw.close()
    await eventually(() => server.context.aborted === before + 5)
  })

  test('holds more calls than it runs at a time, and answers them all', async () => {
    const raw = await RawSocket.open(server.ipcPath)
    raw.send(Array.from({ length: 300 }, (_, id) => toCallJson('test_sleep', [20], id)).join('\n'))
    await raw.receive((text) => countOccurrences(text, '\n') === 300)
    raw.close()
  })

  test('has a number of connections of its own', async () => {
    const all = await Promise.all(Array.from({ length: 128 }, () => RawSocket.open(server.ipcPath)))
    const over = await RawSocket.open(server.ipcPath)
    await over.closed
    for (const raw of all) raw.close()
    await eventually(async () => (await readGauge(server.registry, 'perihelion_rpc_connections')) === 0)
    expect(parseResult(await sendIpc(server.ipcPath, toCallJson('test_echo', [1])))).toBe(1)
  })
})

describe('the file of the IPC socket', () => {
  const startAt = (path: string) => startTestServer([...off, `--ipc-path=${path}`])

  test('may have a path of 107 bytes; a longer one is refused naming the setting', async () => {
    const home = temporaryHome()
    const longest = join(home, 'x'.repeat(107 - home.length - 1))
    const server = await startAt(longest)
    expect(parseResult(await sendIpc(longest, toCallJson('test_echo', [1])))).toBe(1)
    await server.close()
    await expect(startAt(`${longest}x`)).rejects.toThrow(
      expect.objectContaining({
        exitCode: exitCodes.badConfig,
        message: expect.stringMatching(/108 bytes.*--ipc-path/),
      }),
    )
    rmSync(home, { recursive: true })
  })

  test('goes with the server', async () => {
    const server = await startTestServer(off)
    const path = server.ipcPath
    expect(existsSync(path)).toBe(true)
    await server.close()
    expect(existsSync(path)).toBe(false)
  })

  test('that a killed process left is taken over', async () => {
    const home = temporaryHome()
    const path = join(home, 'node.ipc')
    const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`
    const child = spawn(process.execPath, ['-e', script])
    await once(child.stdout, 'data')
    await expect(startAt(path)).rejects.toThrow(expect.objectContaining({ exitCode: exitCodes.homeInUse }))
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(path)).toBe(true)
    const server = await startAt(path)
    expect(parseResult(await sendIpc(path, toCallJson('test_echo', [1])))).toBe(1)
    await server.close()
    rmSync(home, { recursive: true })
  })

  test('on which another process serves is refused, and left alone', async () => {
    const home = temporaryHome()
    const path = join(home, 'node.ipc')
    const other = createServer().listen(path)
    await once(other, 'listening')
    await expect(startAt(path)).rejects.toThrow(/another process serves/)
    expect(existsSync(path)).toBe(true)
    other.close()
    rmSync(home, { recursive: true })
  })

  test('that is something else is refused, and left alone', async () => {
    const home = temporaryHome()
    const path = join(home, 'precious')
    mkdirSync(path)
    chmodSync(path, 0o700)
    await expect(startAt(path)).rejects.toThrow(/not a socket/)
    expect(statSync(path).isDirectory()).toBe(true)
    rmSync(home, { recursive: true })
  })

  test('drains: what runs is answered, then the connection ends', async () => {
    const server = await startTestServer(off)
    const raw = await RawSocket.open(server.ipcPath)
    raw.send(toCallJson('test_sleep', [400]))
    await raw.send(toCallJson('test_echo', ['running'])).receive(/running/)
    const closing = server.close()
    raw.send(toCallJson('test_hear', ['too late']))
    await raw.closed
    expect(raw.text).toContain('"result":400')
    expect(server.context.heard).toEqual([])
    await closing
  })
})
