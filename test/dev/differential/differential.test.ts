import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locatePeer } from '../../../bench/support/peers/locate.ts'
import { startTestNode, type TestNode } from '../../support/node.ts'
import { ChainUnderTest, overHttp } from './chain.ts'
import { type Peer, startAnvil } from './peer.ts'
import { type Difference, runSequence } from './sequence.ts'

/**
 * Random sequences of dev methods, transactions and reads, here and on anvil. What differs is named where it is left out:
 * the values of a reset chain's first block, accounts that have storage and nothing else, what a height was before later
 * changes, the base fee and the gas limit after a revert, snapshots whose block a rollback removed, and those that a revert to an earlier one
 * removed.
 */

const count = Number(process.env.DEV_SEQUENCES ?? 30)
const firstSeed = Number(process.env.SEED ?? 1)
const anvil = locatePeer('anvil')?.file
const reason = anvil === undefined ? ' (skipped: there is no anvil; ANVIL or BENCH_PEERS names it)' : ''

describe.skipIf(anvil === undefined)(`beside anvil${reason}`, () => {
  let node: TestNode
  let peer: Peer

  beforeAll(async () => {
    node = await startTestNode('--ephemeral')
    const { timestamp } = await node.call<{ timestamp: string }>('eth_getBlockByNumber', '0x0', false)
    peer = await startAnvil(anvil as string, Number(timestamp))
  })
  afterAll(async () => {
    await node.close()
    await peer.close()
  })

  test(
    `${count} sequences from seed ${firstSeed} on give the same answers`,
    async () => {
      const ours = new ChainUnderTest('perihelion', overHttp(node.http))
      const theirs = new ChainUnderTest('anvil', overHttp(peer.url))
      const found: Difference[] = []
      for (let seed = firstSeed; seed < firstSeed + count; seed++) {
        const difference = await runSequence(ours, theirs, seed)
        if (difference !== undefined) found.push(difference)
        if ((seed - firstSeed + 1) % 500 === 0)
          console.log(`${seed - firstSeed + 1} sequences, ${found.length} differ`)
      }
      expect(found).toEqual([])
    },
    60_000 + 2_000 * count,
  )
})
