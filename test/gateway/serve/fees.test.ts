import { rmSync } from 'node:fs'
import { describe, expect } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { testSome } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { serveGateway } from './servedGateway.ts'

interface History {
  readonly baseFeePerGas: readonly string[]
}

const families: readonly (readonly [ReplayFamily, readonly string[]])[] = [
  ['ethermint', []],
  ['cosmos-evm-0.4', ['--gateway.family=cosmos-evm-0.4']],
  ['cosmos-evm-0.7', []],
]

describe('the base fee of the next block', () => {
  testSome(1, families)('of %s is known before the block is there', async (family, flags) => {
    const home = temporaryHome()
    const replay = await startReplay({ chain: new SyntheticChain({ family, length: 6 }) })
    const gateway = await serveGateway(home, [`--gateway.node=${replay.url}`, ...flags])
    const reach = (number: number): Promise<void> =>
      eventually(async () => Number(await gateway.call('eth_blockNumber')) >= number)
    try {
      for (let number = 6; number < 20; number++) {
        await reach(number)
        const { baseFeePerGas } = await gateway.call<History>('eth_feeHistory', '0x1', 'latest', [])
        replay.grow(1)
        await reach(number + 1)
        const next = await gateway.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
        expect(baseFeePerGas.at(-1)).toBe(next.baseFeePerGas)
      }
      expect(BigInt(await gateway.call<string>('eth_maxPriorityFeePerGas'))).toBeGreaterThan(0n)
      const price = BigInt(await gateway.call<string>('eth_gasPrice'))
      const newest = await gateway.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', 'latest', false)
      expect(price).toBeGreaterThan(BigInt(newest.baseFeePerGas))
    } finally {
      await gateway.close()
      await replay.close()
      rmSync(home, { recursive: true, force: true })
    }
  })
})
