import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { maxNativeBytes } from '../../src/cosmos/transaction/unwrap.ts'
import { slow } from '../support/slow.ts'
import { Agreement } from './agreement.ts'
import { describeNetwork, isWholeRun } from './describeNetwork.ts'
import { Wallet } from './ledger.ts'
import { askEngine, call, heightOf, receiptOf, waitForHeight } from './rpcHelpers.ts'
import { type Network, type NetworkNode, startNetwork } from './testnet.ts'

/** How many of each kind are sent: a few in each test run. */
const rounds = isWholeRun ? 8 : 1

const empties = (bytes: number): Buffer => Buffer.alloc(bytes, Uint8Array.of(0x7a, 0))

/** The resident memory of a node's process in MB. */
const residentMb = ({ pid }: NetworkNode): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024

/** Fields without content, in all that a stranger can send to an engine. */
describeNetwork('four validators that are sent millions of fields', slow, () => {
  let network: Network
  beforeAll(async () => {
    network = await startNetwork(4)
  })
  afterAll(async () => network?.stop())

  it('refuse them and go on', async () => {
    const [node] = network.nodes
    if (node === undefined) throw new Error('there is no node')
    await waitForHeight(node, 2)
    const before = network.nodes.map(residentMb)
    const started = { height: await heightOf(node), at: performance.now() }
    for (let round = 0; round < rounds; round++) {
      const params = { path: '/cosmos.evm.vm.v1.Query/Account', data: empties(7_800_000).toString('hex') }
      const { response } = await askEngine<{ response: { code: number } }>(node, 'abci_query', params)
      expect(response.code).toBe(18)
      for (const [index, target] of network.nodes.entries()) {
        // An engine refuses by the length what is larger than its application takes.
        const large = { tx: empties(1_000_000 + 2 * (4 * round + index)).toString('base64') }
        await expect(askEngine(target, 'broadcast_tx_sync', large)).rejects.toThrow(/too large/)
        const taken = { tx: empties(maxNativeBytes - 2 * (4 * round + index)).toString('base64') }
        const { code } = await askEngine<{ code: number }>(target, 'broadcast_tx_sync', taken)
        expect(code).toBe(2)
      }
    }
    const hash = await call<string>(node, 'eth_sendRawTransaction', await new Wallet(0).sign())
    for (const each of network.nodes) expect((await receiptOf(each, hash)).status).toBe('0x1')
    await waitForHeight(node, started.height + 2)
    await sleep(100)
    const seconds = (performance.now() - started.at) / 1000
    const blocks = (await heightOf(node)) - started.height
    const after = network.nodes.map(residentMb)
    if (isWholeRun)
      process.stdout.write(
        `${rounds} rounds: ${(seconds / blocks).toFixed(2)} s a block, resident MB before ` +
          `${before.map(Math.round)}, after ${after.map(Math.round)}\n`,
      )
    await new Agreement(network.nodes).check()
  })
})
