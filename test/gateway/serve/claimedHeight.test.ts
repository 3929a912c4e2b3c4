import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { claiming, Opened } from '../follow/harness.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { serveGateway } from './servedGateway.ts'

const createChain = (): SyntheticChain =>
  new SyntheticChain({ family: 'cosmos-evm-0.7', length: 8, content: 'empty' })

test('a gateway becomes ready whatever height a node claimed when it started', async () => {
  const opened = new Opened()
  const home = temporaryHome()
  try {
    const liar = await opened.serve({
      chain: createChain(),
      faults: { alter: claiming(Number.MAX_SAFE_INTEGER) },
    })
    const honest = await opened.serve({ chain: createChain() })
    const nodes = `--gateway.node=${liar.url},${honest.url}`
    // The blocks of the chain are old, and a claim of that kind is not a beginning for trust.
    const gateway = await serveGateway(home, [nodes, '--gateway.verify=false'])
    opened.add(gateway)
    await eventually(async () => Number(await gateway.call('eth_blockNumber')) === 8)
    await eventually(() => gateway.running.isReady())
    expect(await gateway.call('eth_syncing')).toBe(false)
  } finally {
    await opened.closeAll()
    rmSync(home, { recursive: true, force: true })
  }
})
