import { describe, expect, test } from 'vitest'
import { closeAfterEach, connect, serve } from '../../../../test/gateway/replay/openUpstreams.ts'
import type { Replay } from '../../../../test/gateway/replay/server/server.ts'
import { NativeQueryError } from '../../../comet/data/nativeQuery.ts'
import type { Upstream } from '../upstream.ts'
import { Backoffs } from './backoffs.ts'
import { HedgeBudget } from './hedge.ts'
import { toUpstreamAddresses } from './upstreamAddress.ts'

closeAfterEach()

const never = new AbortController().signal
const path = '/cosmos.evm.vm.v1.Query/Config'
const nothing = new Uint8Array()

const asked = ({ asked: counts }: Replay, method: string): number => counts.get(method) ?? 0

test('a header whose value has a colon is of all hosts, and a host may be named with its port', () => {
  const [first, second] = toUpstreamAddresses({
    node: ['https://rpc.example.org', 'http://127.0.0.1:26657'],
    grpc: [],
    roles: [],
    weights: [],
    header: ['X-Key: abc:def', 'RPC.example.org:443 X-Other: 1', '127.0.0.1:26657 X-Third: 2'],
  })
  expect(first?.headers).toEqual({ 'x-key': 'abc:def', 'x-other': '1' })
  expect(second?.headers).toEqual({ 'x-key': 'abc:def', 'x-third': '2' })
})

describe('roles', () => {
  test('old heights go to the archive, new ones to the head, transactions only to who takes them', async () => {
    const [head, archive, send] = [await serve({}, 300), await serve({}, 300), await serve({}, 300)]
    const { upstreams } = await connect([
      { node: archive.url, roles: ['archive'] },
      { node: head.url, roles: ['head'] },
      { node: send.url, roles: ['send'] },
    ])
    await upstreams.block(300, never)
    await upstreams.query(path, nothing, undefined, never)
    expect([asked(head, 'block'), asked(head, 'abci_query')]).toEqual([1, 1])
    await upstreams.block(3, never)
    expect(asked(archive, 'block')).toBe(1)
    await upstreams.broadcast(Uint8Array.of(1, 2, 3), never)
    expect(asked(send, 'broadcast_tx_sync')).toBe(1)
    // Without the node for the head the archive answers; the one for transactions is asked nothing.
    await head.setFaults({ down: true })
    await upstreams.block(299, never)
    expect(asked(archive, 'block')).toBe(2)
    expect([asked(send, 'block'), asked(send, 'abci_query')]).toEqual([0, 0])
    await send.setFaults({ down: true })
    await expect(upstreams.broadcast(Uint8Array.of(1, 2, 3), never)).rejects.toThrow()
    expect(asked(archive, 'broadcast_tx_sync')).toBe(0)
  })
})

describe('which of several nodes is asked', () => {
  test('one that lags behind the limit is passed over, and asked when no other is left', async () => {
    const [late, first] = [await serve({}, 10), await serve({}, 20)]
    const { upstreams } = await connect([{ node: late.url }, { node: first.url }], { maxLag: 5 })
    await upstreams.query(path, nothing, undefined, never)
    expect([asked(late, 'abci_query'), asked(first, 'abci_query')]).toEqual([0, 1])
    await first.setFaults({ down: true })
    await upstreams.query(path, nothing, undefined, never)
    expect(asked(late, 'abci_query')).toBe(1)
  })

  test('requests are shared by weight; a spare one gets none while others answer', async () => {
    const [heavy, small, spare] = [await serve(), await serve(), await serve()]
    const { upstreams } = await connect([
      { node: spare.url, weight: 0 },
      { node: heavy.url, weight: 9 },
      { node: small.url, weight: 1 },
    ])
    for (let round = 0; round < 200; round++) await upstreams.block(1 + (round % 20), never)
    expect(asked(spare, 'block')).toBe(0)
    expect(asked(small, 'block')).toBeGreaterThan(0)
    expect(asked(heavy, 'block')).toBeGreaterThan(3 * asked(small, 'block'))
  })
})

describe('slow nodes', () => {
  test('a read is asked of a second node beside, a transaction never', async () => {
    const [hanging, quick] = [await serve(), await serve()]
    const { upstreams } = await connect([{ node: hanging.url }, { node: quick.url }], { hedgeAfterMs: 20 })
    await hanging.setFaults({ hangs: ['block', 'broadcast_tx_sync'] })
    await upstreams.block(5, never)
    expect(asked(quick, 'block')).toBe(1)
    expect(upstreams.stats().hedgedCalls).toBe(1)
    // The slow one was not at fault yet: it only lost the race.
    expect(upstreams.stats().upstreams[0]?.failures).toBe(0)
    const ending = new AbortController()
    const sent = upstreams.broadcast(Uint8Array.of(1), ending.signal).catch(() => 'ended')
    // A read that came after it is asked beside, so it would have been too.
    await upstreams.block(6, never)
    ending.abort()
    expect(await sent).toBe('ended')
    expect(asked(quick, 'broadcast_tx_sync')).toBe(0)
  })

  test('second requests are a part of all, whatever happens', () => {
    const budget = new HedgeBudget()
    let hedged = 0
    for (let call = 0; call < 1_000; call++) {
      budget.onCall()
      if (budget.take()) hedged++
    }
    expect(hedged).toBeLessThanOrEqual(111)
    expect(budget.used).toBe(hedged)
  })

  test('one that fails whenever it is used rests longer each time', () => {
    const backoffs = new Backoffs()
    const rests: number[] = []
    for (let now = 0, round = 0; round < 8; round++) {
      backoffs.onFailure('a', now)
      rests.push(backoffs.until('a') - now)
      now = backoffs.until('a')
    }
    expect(rests).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    backoffs.onSuccess('a')
    expect(backoffs.until('a')).toBe(0)
  })
})

describe('nodes of providers', () => {
  test('keys are sent over every transport, to their host alone, and never shown', async () => {
    const key = 'secret-of-the-operator'
    const keyed = await serve({ faults: { key } })
    const node = keyed.url.replace('127.0.0.1', 'localhost')
    const nodes = toUpstreamAddresses({
      node: [node],
      grpc: [keyed.grpcAddress.replace('127.0.0.1', 'localhost')],
      roles: [],
      weights: [],
      header: [`localhost X-Api-Key: ${key}`, 'other.example Authorization: Bearer nothing'],
    })
    expect(nodes[0]?.headers).toEqual({ 'x-api-key': key })
    const { upstreams, logs } = await connect(nodes)
    await upstreams.block(5, never)
    await upstreams.query(path, nothing, 5, never)
    await upstreams.blockResults(5, never)
    await keyed.setFaults({ key: 'another-one' })
    const error: Error = await upstreams.blockResults(6, never).then(
      () => new Error('answered'),
      (thrown) => thrown,
    )
    const shown = [...logs, error.message, JSON.stringify(upstreams.stats())].join()
    expect(shown).not.toContain(key)
    expect(error.message).toContain('401')
    // A node may repeat what it was sent.
    const upstream = upstreams.selector.find(upstreams.stats().upstreams[0]?.node ?? '') as Upstream
    const refuse = () => Promise.reject(new NativeQueryError('refused', `the key ${key} has expired`))
    await expect(upstreams.selector.attempt(upstream, refuse, never)).rejects.toThrow('the key … has expired')
  })

  test('a gRPC server that is exhausted is left alone', async () => {
    const [limited, other] = [await serve({ faults: { grpcExhausted: true } }), await serve()]
    const { upstreams } = await connect([
      { node: limited.url, grpc: limited.grpcAddress },
      { node: other.url, grpc: other.grpcAddress },
    ])
    await upstreams.query(path, nothing, 5, never)
    expect(upstreams.stats().upstreams[0]).toMatchObject({ isLimited: true, state: 'failing' })
    expect(asked(limited, 'abci_query')).toBe(0)
  })
})
