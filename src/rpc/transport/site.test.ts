import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Site } from './site.ts'

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Buffer
}

describe('a site', () => {
  const folder = join(tmpdir(), `perihelion-site-${process.pid}`)
  let server: Server
  let port: number

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'), { recursive: true })
    for (const [name, text] of Object.entries({ 'index.html': '<p>page</p>', 'assets/a-1.js': 'run()' })) {
      writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    }
    writeFileSync(join(folder, 'secret.txt'), 'secret')
    const site = new Site(pathToFileURL(`${folder}/`))
    server = createServer(async (incoming, response) => {
      const file = await site.find(incoming.url, incoming.headers['x-keys'] !== undefined)
      if (file === undefined) response.writeHead(405).end()
      else await site.send(file, response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      })
      sent.on('error', reject)
      sent.end()
    })

  test('gives the page, which may not be framed and may run nothing of others', async () => {
    const { status, headers, body } = await get('/?x=1')
    expect(status).toBe(200)
    expect(body.toString()).toBe('<p>page</p>')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    })
    const policy = String(headers['content-security-policy'])
    for (const rule of [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval';",
      "connect-src 'self'",
      "frame-ancestors 'none'",
    ])
      expect(policy).toContain(rule)
    expect(policy).not.toContain("'unsafe")
  })

  test('sends what was compressed ahead', async () => {
    const { headers, body } = await get('/', { 'Accept-Encoding': 'gzip, br' })
    expect(headers['content-encoding']).toBe('br')
    expect(brotliDecompressSync(body).toString()).toBe('<p>page</p>')
    expect((await get('/', { 'Accept-Encoding': 'gzip' })).headers['content-encoding']).toBe('gzip')
    expect((await get('/', { 'Accept-Encoding': 'br;q=0' })).headers['content-encoding']).toBeUndefined()
  })

  test('files with a hash in their name are cached for good, the page is revalidated', async () => {
    const asset = await get('/assets/a-1.js')
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const { headers } = await get('/')
    const again = await get('/', { 'If-None-Match': `"other", W/${headers.etag}` })
    expect(again.status).toBe(304)
    expect(again.body.length).toBe(0)
    expect((await get('/', {}, 'HEAD')).body.length).toBe(0)
  })

  test.each([
    '/secret.txt',
    '/index.html.gz',
    '/../secret',
    '/assets/',
    '/assets/../index.html',
    '/%2e%2e/x',
    '//',
    '/key/',
  ])('has nothing at %s', async (path) => expect((await get(path)).status).toBe(405))

  test('stands below an API key where there are keys', async () => {
    const keys = { 'X-Keys': '1' }
    expect((await get('/some-key/', keys)).status).toBe(200)
    expect((await get('/some-key/assets/a-1.js', keys)).status).toBe(200)
    expect((await get('/', keys)).status).toBe(200)
    expect((await get('/assets/a-1.js', keys)).status).toBe(200)
    expect((await get('/a/b/', keys)).status).toBe(405)
  })
})
