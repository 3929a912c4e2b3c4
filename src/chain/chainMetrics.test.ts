import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { registerChainMetrics } from './chainMetrics.ts'
import type { Chain } from './port/chain.ts'

/** Returns the parts of a chain that the metrics read. */
const chainAt = (state: { head: number; isReachable: boolean }): Chain =>
  ({
    head: () => ({ number: state.head, hash: new Uint8Array(32), time: 1000 + state.head }),
    config: { activations: [{ name: 'osaka', by: 'time', at: 5_000n }], unknownForks: [] },
    blocks: {
      transactionCount: (number: number) => number,
      header: () => ({ gasUsed: 21_000n, gasLimit: 30_000_000n, baseFeePerGas: 7n }),
    },
    network: {
      syncing: () => {
        if (!state.isReachable) throw new Error('no response')
        return { startingBlock: 0, currentBlock: state.head, highestBlock: state.head + 5 }
      },
      peerCount: async () => {
        if (!state.isReachable) throw new Error('no response')
        return 3
      },
    },
  }) as unknown as Chain

const figures = async (registry: Registry): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('perihelion_'))
      .map((line) => line.split(' '))
      .map(([name, value]) => [name, Number(value)]),
  )

test('counts each block once, from the start on', async () => {
  const state = { head: 10, isReachable: true }
  const registry = new Registry()
  registerChainMetrics(registry, chainAt(state))
  expect((await figures(registry)).perihelion_block_blocks_total).toBe(0)
  state.head = 12
  await figures(registry)
  expect(await figures(registry)).toMatchObject({
    perihelion_head_number: 12,
    perihelion_head_timestamp_seconds: 1012,
    perihelion_head_gas_limit: 30_000_000,
    perihelion_head_base_fee_wei: 7,
    perihelion_behind_blocks: 5,
    perihelion_peers: 3,
    perihelion_block_blocks_total: 2,
    perihelion_block_transactions_total: 11 + 12,
    perihelion_block_gas_total: 42_000,
  })
})

test('gives the other figures while the engine does not answer', async () => {
  const registry = new Registry()
  registerChainMetrics(registry, chainAt({ head: 1, isReachable: false }))
  expect(await figures(registry)).toMatchObject({
    perihelion_head_number: 1,
    perihelion_behind_blocks: 0,
    perihelion_peers: 0,
  })
})
