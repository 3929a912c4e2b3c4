import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { startReplay } from '../replay/server/server.ts'
import { SyntheticChain } from '../replay/synthetic.ts'
import { serveGateway } from './servedGateway.ts'

/** More than a gateway takes of the result of one transaction. */
const tooLarge = 65 * 1024 * 1024

test('a block that cannot be taken is told of, those below it are served, and it is taken when it can be', {
  ...slow,
  timeout: 600_000,
}, async () => {
  const home = temporaryHome()
  const chain = new SyntheticChain({ family: 'cosmos-evm-0.7', length: 8, content: { transactions: 1 } })
  const replay = await startReplay({ chain })
  await replay.setFaults({
    alter: (method, result, params) => {
      const [first] = (result as { txs_results?: { info?: string }[] }).txs_results ?? []
      if (method === 'block_results' && params.height === '5' && first) first.info = 'x'.repeat(tooLarge)
      return result
    },
  })
  const gateway = await serveGateway(home, [`--gateway.node=${replay.url}`])
  const page = async (path: string) => {
    const reply = await fetch(`${gateway.http}${path}`)
    return { status: reply.status, text: await reply.text() }
  }
  try {
    await eventually(() => gateway.running.findProblem()?.problem !== undefined, 240_000)
    expect(await gateway.call('eth_blockNumber')).toBe('0x4')
    expect(await gateway.call('eth_getBlockByNumber', '0x4', true)).toMatchObject({ number: '0x4' })
    const { error } = await gateway.ask('eth_getBlockByNumber', ['0x5', false])
    expect(error?.message).toMatch(/block 5 could not be taken by this gateway: the results of block 5/)
    const ready = await page('/ready')
    expect(ready.status).toBe(503)
    expect(JSON.parse(ready.text)).toEqual({
      ready: false,
      reasons: ['block', 'behind'],
      problem: expect.stringContaining('block 5 cannot be taken'),
    })
    expect((await page('/metrics')).text).toContain('perihelion_gateway_untaken_block 5\n')
    await replay.setFaults({})
    await eventually(() => gateway.running.isReady(), 240_000)
    expect(await gateway.call('eth_getBlockByNumber', '0x5', false)).toMatchObject({ number: '0x5' })
    expect((await page('/metrics')).text).toContain('perihelion_gateway_untaken_block 0\n')
  } finally {
    await gateway.close()
    await replay.close()
    rmSync(home, { recursive: true, force: true })
  }
})
