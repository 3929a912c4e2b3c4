import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { serveGateway } from './servedGateway.ts'

test('while the disk is nearly full the store is served and no transaction is taken', slow, async () => {
  const home = temporaryHome()
  const replay = await startReplay({ chain: new SyntheticChain({ family: 'cosmos-evm-0.7', length: 4 }) })
  const node = `--gateway.node=${replay.url}`
  try {
    const first = await serveGateway(home, [node])
    await eventually(() => first.running.isReady())
    await first.close()
    const full = await serveGateway(home, [node, '--min-free-space=1000000GB'])
    try {
      expect(await full.call('eth_blockNumber')).toBe('0x4')
      expect((await full.ask('eth_sendRawTransaction', ['0x02'])).error).toMatchObject({
        code: -32005,
        message: expect.stringContaining('nearly full'),
      })
      const ready = await fetch(`${full.http}/ready`)
      expect(await ready.json()).toMatchObject({ reasons: expect.arrayContaining(['disk']) })
    } finally {
      await full.close()
    }
  } finally {
    await replay.close()
    rmSync(home, { recursive: true, force: true })
  }
})
