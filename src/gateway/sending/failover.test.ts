import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeAfterEach, connect, serve } from '../../../test/gateway/replay/openUpstreams.ts'
import type { Faults } from '../../../test/gateway/replay/server/injectedFaults.ts'
import type { Replay } from '../../../test/gateway/replay/server/server.ts'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeMempool } from '../../../test/support/fakeMempool.ts'
import { coin, testHead } from '../../../test/support/pool.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { createLogger } from '../../base/logging/log.ts'
import type { ChainInfo } from '../../cosmos/chainInfo.ts'
import { defaultPoolSettings } from '../../pool/types.ts'
import type { UpstreamClient } from '../upstreams/upstreamClient.ts'
import { GatewayPool } from './gatewayPool.ts'
import type { GatewayPoolOptions } from './gatewayPoolOptions.ts'

const alice = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const never = new AbortController().signal

closeAfterEach()

let folder: string
let pools: GatewayPool[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'failover-'))
})
afterEach(async () => {
  vi.useRealTimers()
  for (const pool of pools) await pool.close()
  pools = []
  rmSync(folder, { recursive: true })
})

/** A node that answers everything but transactions. */
const hangs: Faults = { hangs: ['broadcast_tx_sync'] }
/** A node that says of every transaction that it took it. */
const takes: Faults = {
  alter: (method, result) =>
    method === 'broadcast_tx_sync' ? { ...(result as object), code: 0, codespace: '', log: '' } : result,
}

const sendsTo = ({ asked }: Replay): number => asked.get('broadcast_tx_sync') ?? 0

/** A pool that sends to these nodes; accounts are those of a chain of its own. */
const openPool = (
  upstreams: UpstreamClient,
  options: Pick<GatewayPoolOptions, 'times' | 'whileAway'>,
): GatewayPool => {
  const chain = new FakeMempool('flood')
  chain.fund(alice.address, 1_000n * coin)
  const pool = new GatewayPool(
    {
      // Sending does not use the rest.
      chainInfo: {
        family: 'ethermint',
        nativeChainId: '9001',
        evmPackage: 'ethermint.evm.v1',
        hasAppMempool: false,
      } as ChainInfo,
      settings: defaultPoolSettings,
      journalFolder: folder,
      ...options,
    },
    {
      upstream: {
        query: (path, request, height) => chain.query(path, request, height),
        unconfirmedTxs: (limit) => chain.unconfirmedTxs(limit),
        broadcast: (...call) => upstreams.broadcast(...call),
        isAway: () => upstreams.isAway(),
      },
      head: { ...testHead, number: BigInt(chain.height) },
      locate: chain.locate,
      locateBySender: chain.locateBySender,
      log: createLogger('silent'),
    },
  )
  pools.push(pool)
  return pool
}

const sign = async (nonce: number): Promise<Uint8Array> =>
  fromHex(
    await alice.signTransaction({
      chainId: 31_337,
      to: alice.address,
      gas: 21_000n,
      maxFeePerGas: parseGwei('10'),
      maxPriorityFeePerGas: parseGwei('1'),
      nonce,
    }),
  )

test('a node that hangs on transactions is left for the next one, and avoided', async () => {
  const [hanging, healthy] = [await serve({ faults: hangs }), await serve({ faults: takes })]
  const { upstreams } = await connect([{ node: hanging.url }, { node: healthy.url }], { attemptMs: 50 })
  const began = Date.now()
  const pool = openPool(upstreams, { whileAway: 'refuse' })
  await pool.submit(await sign(0))
  expect([sendsTo(hanging), sendsTo(healthy)]).toEqual([1, 1])
  expect(upstreams.stats().upstreams[0]?.failures).toBe(1)
  // The clock is set back, so that it is avoided still on a slow machine. What it says of itself does not end that.
  vi.useFakeTimers({ toFake: ['Date'], now: began })
  await upstreams.status(never)
  await pool.submit(await sign(1))
  expect([sendsTo(hanging), sendsTo(healthy)]).toEqual([1, 2])
})

test('a broadcast that nobody answers counts against the node', async () => {
  const hanging = await serve({ faults: hangs })
  const { upstreams } = await connect([{ node: hanging.url }])
  const pool = openPool(upstreams, { times: { broadcastMs: 300, retryMs: 20 } })
  await pool.submit(await sign(0))
  await eventually(() => (upstreams.stats().upstreams[0]?.failures ?? 0) > 0)
})

test('a transaction that is in no block is sent to the next node, because the first may have lost it', async () => {
  const [first, second] = [await serve({ faults: takes }), await serve({ faults: takes })]
  const { upstreams } = await connect([{ node: first.url }, { node: second.url }])
  const pool = openPool(upstreams, { times: { rebroadcastMs: 100, retryMs: 20 } })
  await pool.submit(await sign(0))
  expect(sendsTo(first)).toBe(1)
  await eventually(() => sendsTo(second) > 0)
})
