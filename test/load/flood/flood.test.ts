import { rmSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { isolatedFlags, type Program, runProgram } from '../../support/program.ts'
import { createRandom } from '../../support/random.ts'
import { createRpcClient } from '../../support/rpc/rpcClient.ts'
import { slow } from '../../support/slow.ts'
import { temporaryHome } from '../../support/testServer.ts'
import { deployLargeCode, floods } from './floods.ts'
import { readMetric } from './measure.ts'

const home = temporaryHome()
let program: Program | undefined
afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended()
  rmSync(home, { recursive: true, force: true })
})

const floodMs = 1000
const underWay = /^perihelion_rpc_(?:memory_bytes\{what="used"\}|class_calls\{)/

/** A piece of `npm run long -- flood`: each kind for a second. The limits are small, so that it is a flood already. */
describe('a flood of everything that a caller can do too much of', slow, () => {
  test('leaves the node alive, everybody served and nothing behind', async () => {
    program = runProgram([
      ...['start', ...isolatedFlags(home), '--log.level=warn', '--json-rpc.request-memory=30MB'],
      ...['--json-rpc.filter-memory=2MB', '--json-rpc.ws-total-backlog=10MB', '--json-rpc.call-queue=4'],
      ...['--json-rpc.trace-queue=1', '--json-rpc.evm-timeout=500ms', '--json-rpc.trace-timeout=500ms'],
    ])
    const { http = '', ws = '' } = await program.ready()
    const rpc = createRpcClient(http)
    const largeCode = await deployLargeCode(http)
    for (const [name, flood] of Object.entries(floods)) {
      const counts = { answered: 0, refused: 0, other: 0 }
      const options = {
        http,
        ws,
        largeCode,
        clients: Math.ceil(flood.clients / 5),
        random: createRandom(1),
        counts,
      }
      const over = new AbortController()
      const flooding = flood.run(options, over.signal)
      const until = performance.now() + floodMs
      // Until some were told something, however slow the machine is.
      while (performance.now() < until || counts.answered + counts.refused === 0)
        expect({ name, head: await rpc.call('eth_blockNumber') }).toEqual({ name, head: '0x1' })
      over.abort()
      await flooding
      // Everything is given back: memory, permits, places in queues.
      await eventually(async () => (await readMetric(http, underWay)) === 0)
    }
    expect(await readMetric(http, /^perihelion_rpc_memory_refused_total /)).toBeGreaterThan(0)
    expect(await rpc.call('eth_getCode', largeCode, 'latest')).toHaveLength(2 + 2 * 24_576)
  })
})
