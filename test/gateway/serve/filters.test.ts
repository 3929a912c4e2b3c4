import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

let replay: Replay
let home: string
let gateway: ServedGateway | undefined

beforeEach(async () => {
  replay = await startReplay({ chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 30 }) })
  home = temporaryHome()
})

afterEach(async () => {
  await gateway?.close()
  await replay.close()
  rmSync(home, { recursive: true, force: true })
})

const start = async (height: number, ...flags: readonly string[]): Promise<ServedGateway> => {
  const started = await serveGateway(home, [`--gateway.node=${replay.url}`, ...flags])
  gateway = started
  await reach(started, height)
  return started
}

const reach = (served: ServedGateway, height: number): Promise<void> =>
  eventually(async () => Number(await served.call('eth_blockNumber')) >= height)

test('filters of HTTP clients go on where they were after a restart', async () => {
  const first = await start(30)
  const blocks = await first.call<string>('eth_newBlockFilter')
  const logs = await first.call<string>('eth_newFilter', {})
  replay.grow(2)
  await reach(first, 32)
  expect(await first.call('eth_getFilterChanges', blocks)).toHaveLength(2)
  await first.close()
  replay.grow(1)
  const again = await start(33)
  expect(await again.call('eth_getFilterChanges', blocks)).toHaveLength(1)
  expect(await again.call('eth_getFilterChanges', blocks)).toEqual([])
  expect(await again.call('eth_getFilterChanges', logs)).toEqual(
    await again.call('eth_getLogs', { fromBlock: '0x1f', toBlock: '0x21' }),
  )
  expect(await again.call('eth_uninstallFilter', blocks)).toBe(true)
  await again.close()
  const third = await start(33)
  expect((await third.ask('eth_getFilterChanges', [blocks])).error?.message).toBe('filter not found')
})

test('an answer names its height, and waits for one that the client has seen', async () => {
  const { http } = await start(30, '--json-rpc.min-height-wait=60s')
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(http, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_blockNumber', params: [] }),
    })
  expect((await post({})).headers.get('x-perihelion-height')).toBe('30')
  const waiting = post({ 'x-perihelion-min-height': '32' })
  replay.grow(2)
  expect(await (await waiting).json()).toMatchObject({ id: 7, result: '0x20' })
  for (const wrong of ['abc', '12 blocks', '-1', '1e3', '0x1', '9'.repeat(24), ''])
    expect(await (await post({ 'x-perihelion-min-height': wrong })).json()).toMatchObject({
      id: 7,
      error: { code: -32602, message: expect.stringContaining('x-perihelion-min-height: expected') },
    })
})
