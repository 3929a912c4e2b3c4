import { rmSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PeerCall, SignedAnswer } from '../../../src/chain/port/replicas.ts'
import { openAnswer, signCall } from '../../../src/gateway/replicas/peerCall.ts'
import { postJson } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from '../serve/servedGateway.ts'
import { Door } from './door.ts'

const token = 'the secret of the replicas'

let doors: Door[] = []
let replay: Replay
let homes: string[] = []
const gateways = new Map<number, ServedGateway>()

beforeEach(async () => {
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 30 })
  replay = await startReplay({ chain })
  doors = await Promise.all([1, 2, 3].map(() => new Door().open()))
  homes = [1, 2, 3].map(() => temporaryHome())
})

afterEach(async () => {
  for (const gateway of gateways.values()) await gateway.close()
  gateways.clear()
  for (const door of doors) await door.close()
  await replay.close()
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

const start = async (replica: number, ...flags: readonly string[]): Promise<ServedGateway> => {
  const peers = doors.map(({ url }, index) => `${index + 1}=${url}`).join(',')
  const gateway = await serveGateway(homes[replica - 1] as string, [
    `--gateway.node=${replay.url}`,
    `--gateway.replica=${replica}`,
    `--gateway.peers=${peers}`,
    `--gateway.peer-token=${token}`,
    '--json-rpc.min-height-wait=10s',
    ...flags,
  ])
  gateways.set(replica, gateway)
  doors[replica - 1]?.leadTo(gateway.http)
  return gateway
}

const stop = async (replica: number): Promise<void> => {
  doors[replica - 1]?.leadTo(undefined)
  await gateways.get(replica)?.close()
  gateways.delete(replica)
}

const reach = (gateway: ServedGateway, height: number): Promise<void> =>
  eventually(async () => Number(await gateway.call('eth_blockNumber')) >= height)

test(
  'a filter is polled at any replica, and continues where it was after a restart of its own',
  slow,
  async () => {
    const [first, second] = [await start(1), await start(2)]
    await reach(first, 30)
    const id = await first.call<string>('eth_newBlockFilter')
    expect(BigInt(id) >> 112n).toBe(1n)
    const logs = await first.call<string>('eth_newFilter', {})
    replay.grow(2)
    await reach(first, 32)
    const told = await second.call<string[]>('eth_getFilterChanges', id)
    expect(told).toHaveLength(2)
    expect(await first.call('eth_getFilterChanges', id)).toEqual([])
    replay.grow(1)
    await reach(first, 33)
    await stop(1)
    // It is away, perhaps for a moment: nothing is said about the filter.
    expect((await second.ask('eth_getFilterChanges', [id])).error?.code).toBe(-32002)
    const again = await start(1)
    await eventually(async () => (await second.ask('eth_getFilterLogs', [logs])).error === undefined)
    expect(await second.call('eth_getFilterChanges', id)).toHaveLength(1)
    expect(await again.call('eth_getFilterChanges', id)).toEqual([])
    const found = await second.call<unknown[]>('eth_getFilterChanges', logs)
    expect(found).toEqual(await again.call('eth_getLogs', { fromBlock: '0x1f', toBlock: '0x21' }))
    expect(await second.call('eth_uninstallFilter', id)).toBe(true)
    expect((await again.ask('eth_getFilterChanges', [id])).error?.message).toBe('filter not found')
    // The filter of a replica that nobody knows is gone for good.
    const foreign = `0x${(9n << 112n).toString(16)}`
    expect((await second.ask('eth_getFilterChanges', [foreign])).error?.message).toBe('filter not found')
  },
)

test('what was sent at one replica is found at all of them', slow, async () => {
  const all = [await start(1), await start(2), await start(3)] as const
  for (const gateway of all) await reach(gateway, 30)
  const chainId = Number(await all[0].call('eth_chainId'))
  const account = privateKeyToAccount(`0x${'77'.repeat(32)}`)
  // It has no coin, so the chain refuses: with the same words wherever it is sent.
  const raw = await account.signTransaction({
    chainId,
    to: account.address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    nonce: 0,
  })
  const refusals = await Promise.all(all.map((gateway) => gateway.ask('eth_sendRawTransaction', [raw])))
  expect(new Set(refusals.map(({ error }) => error?.message)).size).toBe(1)
  // Kept while the chain is away: by one replica, which the others ask.
  await replay.setFaults({ down: true })
  await eventually(
    async () => (await all[1].ask('eth_getBalance', [account.address, 'latest'])).error !== undefined,
  )
  const stranger = privateKeyToAccount(`0x${'78'.repeat(32)}`)
  const other = await stranger.signTransaction({
    chainId,
    to: stranger.address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    nonce: 1,
  })
  const hash = await all[0].call<string>('eth_sendRawTransaction', other)
  for (const gateway of all)
    expect(await gateway.call('eth_getTransactionByHash', hash)).toMatchObject({ hash, nonce: '0x1' })
  for (const gateway of all) expect(await gateway.call('eth_getRawTransactionByHash', hash)).toBe(other)
})

test('answers name their height, and wait for one that the client has seen', slow, async () => {
  const gateway = await start(1)
  await reach(gateway, 30)
  const post = (headers: Record<string, string>): Promise<Response> =>
    fetch(gateway.http, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'eth_blockNumber', params: [] }),
    })
  expect((await post({})).headers.get('x-perihelion-height')).toBe('30')
  const waiting = post({ 'x-perihelion-min-height': '32' })
  replay.grow(2)
  expect(await (await waiting).json()).toMatchObject({ id: 7, result: '0x20' })
  const refused = await post({ 'x-perihelion-min-height': '100000' })
  expect(await refused.json()).toEqual({
    jsonrpc: '2.0',
    id: 7,
    error: { code: -32002, message: 'height 100000 is not reached yet' },
  })
  for (const wrong of ['abc', '12 blocks', '-1', '1e3', '0x1', '9'.repeat(24), ''])
    expect(await (await post({ 'x-perihelion-min-height': wrong })).json()).toMatchObject({
      id: 7,
      error: { code: -32602, message: expect.stringContaining('x-perihelion-min-height: expected') },
    })
})

test('a replica that is lost is told of before a client needs it', slow, async () => {
  const [first] = [await start(1), await start(2)]
  await reach(first, 30)
  const page = async (path: string): Promise<string> => (await fetch(`${first.http}${path}`)).text()
  // The third one was never started.
  const problem = 'replica 3 does not answer this one: the log says why'
  await eventually(async () => (await page('/health')).includes(`"${problem}"`))
  const metrics = await page('/metrics')
  expect(metrics).toMatch(/^perihelion_gateway_replica_away_seconds\{replica="2"\} 0$/m)
  expect(metrics).toMatch(/^perihelion_gateway_replica_away_seconds\{replica="3"\} 0?\.?\d*[1-9]/m)
  expect(await page('/ready')).not.toContain('replica')
  await start(3)
  await eventually(async () => (await page('/health')).includes('"ok"'))
})

test('only replicas with the token are answered', slow, async () => {
  const gateway = await start(1)
  const post = async (call: PeerCall): Promise<unknown> => {
    const body = { jsonrpc: '2.0', id: 1, method: 'replica_call', params: [call] }
    return JSON.parse(await postJson(gateway.http, JSON.stringify(body)))
  }
  const sign = (changed: object, secret = token): PeerCall =>
    signCall(secret, {
      from: 2,
      to: 1,
      time: Date.now(),
      call: '["eth_uninstallFilter",["0x1"]]',
      ...changed,
    })
  // It has just started, and does not know what it answered before.
  const { error } = (await post(sign({}))) as { error: { code: number; data: { instance: string } } }
  expect(error.code).toBe(4100)
  const { instance } = error.data
  const call = sign({ instance })
  const { result } = (await post(call)) as { result: SignedAnswer }
  expect(openAnswer(token, call, result)).toEqual({ result: false })
  // Whoever has seen it cannot repeat it.
  expect(await post(call)).toMatchObject({ error: { code: 4100 } })
  expect(await post(sign({}, 'another secret of others'))).toMatchObject({ error: { code: 4100 } })
  expect(await post(sign({ to: 3 }))).toMatchObject({ error: { code: 4100 } })
  expect(await post(sign({ time: Date.now() - 3_600_000 }))).toMatchObject({ error: { code: 4100 } })
  const other = sign({ call: '["eth_chainId",[]]', instance })
  const { result: refusal } = (await post(other)) as { result: SignedAnswer }
  expect(openAnswer(token, other, refusal)).toMatchObject({ error: { code: -32601 } })
  for (const [content, code] of [
    ['no JSON', -32700],
    ['null', -32600],
    ['{"0":"eth_chainId"}', -32600],
    ['[7,[]]', -32600],
    ['["eth_uninstallFilter",{}]', -32602],
  ] as const) {
    const invalid = sign({ call: content, instance })
    const answer = (await post(invalid)) as { result: SignedAnswer }
    expect(openAnswer(token, invalid, answer.result), content).toMatchObject({ error: { code } })
  }
})

test(
  'a new replica begins with the store of another one, also where nodes have pruned it',
  slow,
  async () => {
    const first = await start(1)
    await reach(first, 30)
    await replay.setFaults({ prunedBelow: 28, prunedStateBelow: 28 })
    const second = await start(2, `--gateway.bootstrap=${doors[0]?.url}`)
    await reach(second, 30)
    replay.grow(3)
    await reach(second, 33)
    for (let number = 1; number <= 33; number++) {
      const height = `0x${number.toString(16)}`
      for (const [method, ...params] of [
        ['eth_getBlockByNumber', height, true],
        ['eth_getBlockReceipts', height],
        ['debug_getRawBlock', height],
      ] as const)
        expect([method, number, await second.ask(method, params)]).toEqual([
          method,
          number,
          await first.ask(method, params),
        ])
    }
    const logs = { fromBlock: '0x1', toBlock: '0x21' }
    expect(await second.call('eth_getLogs', logs)).toEqual(await first.call('eth_getLogs', logs))
  },
)
