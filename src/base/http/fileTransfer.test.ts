import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { download, upload } from './fileTransfer.ts'

let server: Server | undefined
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perihelion-transfer-'))
})
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const serve = async (listener: RequestListener): Promise<string> => {
  const started = createServer(listener)
  server = started
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(started.address() as { port: number }).port}/file?key=s3cret`
}

const options = { signal: new AbortController().signal, retryMs: 1 }

const read = async (url: string, more: object = {}): Promise<string> => {
  const parts: Uint8Array[] = []
  for await (const part of download(url, { ...options, ...more })) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('a file at a URL', () => {
  test('is read to its end, from a server that sends all of it each time too', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 })
      response.write('0123456789'.slice(0, 4 * ++requests), () => response.destroy())
    })
    expect(await read(url).catch(String)).toBe('0123456789')
    expect(requests).toBe(3)
  })

  test('is read to its end from a server that sends a part of the rest each time', async () => {
    const url = await serve(({ headers: { range } }, response) => {
      const start = Number(/\d+/.exec(range ?? '0')?.[0])
      const part = '0123456789'.slice(start, start + 4)
      const all = {
        'content-range': `bytes ${start}-${start + part.length - 1}/10`,
        'content-length': part.length,
      }
      if (range === undefined)
        response.writeHead(200, { 'content-length': 10 }).write(part, () => response.destroy())
      else response.writeHead(206, all).end(part)
    })
    expect(await read(url)).toBe('0123456789')
  })

  test('whose size nobody says ends where its reader says so, and a connection may end before', async () => {
    const text = '0123456789'
    let requests = 0
    const url = await serve(({ headers: { range } }, response) => {
      const start = Number(/\d+/.exec(range ?? '0')?.[0])
      requests++
      if (range !== undefined) response.writeHead(206, { 'content-range': `bytes ${start}-9/*` })
      response.write(text.slice(start, start + 4))
      response.end()
    })
    expect(await read(url)).toBe('0123')
    requests = 0
    let found = ''
    for await (const part of download(url, { ...options, hasOwnEnd: true })) {
      found += Buffer.from(part).toString()
      if (found.length === text.length) break
    }
    expect({ found, requests }).toEqual({ found: text, requests: 3 })
  })

  test('is not put together of two', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10, etag: `"${++requests}"` })
      response.write('01234', () => response.destroy())
    })
    await expect(read(url)).rejects.toThrow('the file is another one by now')
    expect(requests).toBe(2)
  })

  test.each([
    [404, 1],
    [302, 1],
    [503, 8],
    [429, 8],
  ])('that is answered with status %i is asked for %i times', async (status, times) => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.writeHead(status).end('s3cret')
    })
    await expect(read(url)).rejects.toThrow(`the server answered with status ${status}`)
    expect(requests).toBe(times)
  })

  test('is not put together of two of different sizes, without a tag', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 10 + requests++ })
      response.write('01234', () => response.destroy())
    })
    await expect(read(url)).rejects.toThrow('the file is another one by now')
  })

  test('is read where the server redirects to', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/there') response.end('0123456789')
      else response.writeHead(307, { location: '/there' }).end()
    })
    expect(await read(url)).toBe('0123456789')
  })

  test('is given up where redirects do not end, or lead elsewhere than to a server', async () => {
    let location = '/file'
    const url = await serve((_, response) => response.writeHead(302, { location }).end())
    await expect(read(url)).rejects.toThrow('redirects more than 5 times')
    location = 'file:///etc/passwd'
    await expect(read(url)).rejects.toThrow('redirects to an address that is not https')
  })

  test('is read by a slow reader, whose pauses are not the server’s', slow, async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.end(Buffer.alloc(2_000_000))
    })
    let size = 0
    for await (const part of download(url, { ...options, idleTimeoutMs: 1_000 })) {
      // Longer than the timeout, once there is more to read than the buffers take.
      if (size === 0) await new Promise((resolve) => setTimeout(resolve, 2_500))
      size += part.length
    }
    expect([size, requests]).toEqual([2_000_000, 1])
  })

  test('is given up when nothing comes', async () => {
    const url = await serve(() => undefined)
    await expect(read(url, { idleTimeoutMs: 20 })).rejects.toThrow('nothing came for 0.02 s')
  })

  test('is requested over https where the URL says so in capitals', async () => {
    await expect(read('HTTPS://127.0.0.1:1/')).rejects.toThrow('ECONNREFUSED')
  })

  test('is requested with the password of the URL, and not after the end of the signal', async () => {
    const url = await serve((request, response) => response.end(request.headers.authorization))
    expect(await read(url.replace('http://', 'http://user:word@'))).toBe(`Basic ${btoa('user:word')}`)
    await expect(read(url, { signal: AbortSignal.abort(new Error('the end')) })).rejects.toThrow('the end')
  })
})

describe('a file that is put to a URL', () => {
  const put = async (url: string, content: string): Promise<readonly number[]> => {
    const path = join(folder, 'file')
    writeFileSync(path, content)
    const sent: number[] = []
    await upload(path, url, { ...options, onBytes: (bytes) => sent.push(bytes) })
    return sent
  }

  test('has its length, and is put again where that may help', async () => {
    const got: string[] = []
    const url = await serve(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      got.push(`${request.method} ${request.headers['content-length']} ${body}`)
      response.writeHead(got.length === 1 ? 503 : 200).end()
    })
    expect((await put(url, 'content')).at(-1)).toBe(7)
    expect(got).toEqual(['PUT 7 content', 'PUT 7 content'])
  })

  test('is not there where the server rejects it, perhaps before it has all', async () => {
    let requests = 0
    const url = await serve((_, response) => {
      requests++
      response.writeHead(403, { connection: 'close' }).end('s3cret')
    })
    await expect(put(url, 'x'.repeat(5_000_000))).rejects.toThrow('the server answered with status 403')
    expect(requests).toBe(1)
    await expect(put('http://127.0.0.1:1/', 'x')).rejects.toThrow('ECONNREFUSED')
  })
})
