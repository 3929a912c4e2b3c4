import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Service } from '../../src/service/start/startService.ts'
import { postJson, sendHttp } from '../support/clients.ts'
import { startTestService } from '../support/service.ts'
import { temporaryHome } from '../support/testServer.ts'

const chainId = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'

const withService = async (flags: readonly string[], use: (http: string) => Promise<void>): Promise<void> => {
  const home = temporaryHome()
  const service = await startTestService(home, { flags })
  try {
    await use(service.urls().http ?? '')
  } finally {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  }
}

describe('the explorer of a dev chain', () => {
  const home = temporaryHome()
  let service: Service
  let url: string

  beforeAll(async () => {
    service = await startTestService(home)
    url = service.urls().http ?? ''
  })
  afterAll(async () => {
    await service.close()
    rmSync(home, { recursive: true, force: true })
  })

  const get = (path: string, headers: Record<string, string> = {}) =>
    sendHttp(url, { method: 'GET', path, headers })

  test('is what GET answers, with all that it loads', async () => {
    const { status, body, headers } = await get('/')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    const links = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link as string)
    expect(links.length).toBeGreaterThan(2)
    // Relative, so that a prefix of a proxy does no harm; nothing inline, which the policy forbids.
    expect(links.filter((link) => !link.startsWith('./assets/'))).toEqual([])
    expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/)
    for (const link of links) expect((await get(link.slice(1))).status).toBe(200)
  })

  test('the first view is small', async () => {
    const page = await get('/')
    const links = [...page.body.matchAll(/(?:src|href)="\.([^"]+)"/g)].map(([, link]) => link as string)
    const sizes = await Promise.all(
      links.map(async (link) => (await get(link, { 'Accept-Encoding': 'br' })).body.length),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000)
  })

  test('changes nothing about JSON-RPC, other pages and other methods', async () => {
    expect(JSON.parse(await postJson(url, chainId))).toMatchObject({ result: '0x7a69' })
    expect((await get('/health')).status).toBe(200)
    expect((await get('/nothing')).status).toBe(405)
    expect((await sendHttp(url, { method: 'PUT' })).status).toBe(405)
  })

  test('is not for names of other hosts, nor for pages of other origins', async () => {
    expect((await get('/', { Host: 'evil.example' })).status).toBe(403)
    expect((await get('/', { Origin: 'https://evil.example' })).status).toBe(403)
    const headers = { 'Content-Type': 'application/json', Origin: 'https://evil.example' }
    expect((await sendHttp(url, { headers, body: chainId })).status).toBe(403)
    const own = { 'Content-Type': 'application/json', Origin: url }
    expect((await sendHttp(url, { headers: own, body: chainId })).status).toBe(200)
  })
})

describe('the setting json-rpc.explorer', () => {
  test('off turns it off on a dev chain', () =>
    withService(['--json-rpc.explorer=off'], async (url) => {
      expect((await sendHttp(url, { method: 'GET' })).status).toBe(405)
    }))

  test('auto leaves it off elsewhere', () =>
    withService(['--dev=false'], async (url) => {
      expect((await sendHttp(url, { method: 'GET' })).status).toBe(405)
    }))

  test('on turns it on anywhere, and gives it no access that others do not have', () =>
    withService(['--dev=false', '--json-rpc.explorer=on'], async (url) => {
      expect((await sendHttp(url, { method: 'GET' })).status).toBe(200)
      const body = '{"jsonrpc":"2.0","id":1,"method":"debug_traceTransaction","params":[]}'
      const headers = { 'Content-Type': 'application/json', Origin: url }
      expect(JSON.parse((await sendHttp(url, { headers, body })).body)).toMatchObject({
        error: { code: -32601 },
      })
    }))
})
