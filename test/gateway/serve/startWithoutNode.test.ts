import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import type { ReplayFamily } from '../replay/families.ts'
import { type Replay, startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { type ServedGateway, serveGateway } from './servedGateway.ts'

let home: string
beforeEach(() => {
  home = temporaryHome()
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const reach = (gateway: ServedGateway, number: number): Promise<void> =>
  eventually(async () => Number(await gateway.call('eth_blockNumber')) >= number)

const serve = (replay: Replay): Promise<ServedGateway> => serveGateway(home, [`--gateway.node=${replay.url}`])

test.each<ReplayFamily>(['ethermint', 'perihelion'])(
  'a start without any node of %s serves the store, and goes on when one is there',
  async (family) => {
    const replay = await startReplay({ chain: new SyntheticChain({ family, length: 8 }) })
    try {
      const first = await serve(replay)
      await reach(first, 8)
      const before = await first.call('eth_getBlockByNumber', '0x5', true)
      const chainId = await first.call('eth_chainId')
      await first.close()
      await replay.setFaults({ down: true })
      const again = await serve(replay)
      try {
        expect(await again.call('eth_getBlockByNumber', '0x5', true)).toEqual(before)
        expect(await again.call('eth_chainId')).toBe(chainId)
        expect(again.running.isReady()).toBe(false)
        expect(again.running.findProblem()?.problem).toContain('no node of the chain answers')
        replay.grow(3)
        await replay.setFaults({})
        await reach(again, 11)
        await eventually(() => again.running.isReady())
      } finally {
        await again.close()
      }
    } finally {
      await replay.close()
    }
  },
)
