import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService } from '../support/service.ts'
import { slow } from '../support/slow.ts'
import { temporaryHome } from '../support/testServer.ts'
import { alice, ServingNode } from './servingNode.ts'

const post = async (url: string, method: string, params: readonly unknown[] = [], minHeight?: string) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(minHeight !== undefined && { 'x-perihelion-min-height': minHeight }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  })
  const body = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  return { ...body, height: Number(response.headers.get('x-perihelion-height') ?? Number.NaN) }
}

const mine = (url: string) => post(url, 'evm_mine')

/** What every mode does; it begins at height 0. */
const checkHeights = async (url: string): Promise<void> => {
  expect(await post(url, 'eth_blockNumber')).toMatchObject({ result: '0x0', height: 0 })
  const waiting = post(url, 'eth_getBalance', [alice, 'latest'], '2')
  await mine(url)
  await mine(url)
  expect(await waiting).toMatchObject({ result: expect.any(String), height: 2 })
  const seen = await post(url, 'eth_blockNumber', [], '2')
  expect(seen).toMatchObject({ result: '0x2', height: 2 })
  // So far above it is of another chain, and is not waited for.
  expect((await post(url, 'eth_blockNumber', [], '100000')).error).toEqual({
    code: -32002,
    message: 'height 100000 is not reached yet',
  })
  expect((await post(url, 'eth_blockNumber', [], 'soon')).error).toMatchObject({ code: -32602 })
}

describe('answers name their height and wait for one that the client has seen', () => {
  test('on an embedded chain', async () => {
    const home = temporaryHome()
    const service = await startTestService(home, { flags: ['--json-rpc.min-height-wait=60s'] })
    try {
      await checkHeights(service.urls().http ?? '')
    } finally {
      await service.close()
    }
  })

  describe('in serving processes', slow, () => {
    let node: ServingNode
    beforeAll(async () => {
      node = await ServingNode.start(2, ['--json-rpc.min-height-wait=60s'])
    })
    afterAll(() => node.remove())

    test('whichever of them answers', () => checkHeights(node.urls.http ?? ''))
  })
})
