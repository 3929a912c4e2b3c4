import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { fromHex, toHex, toQuantity } from '../../../src/base/encoding/hex.ts'
import { createLogger } from '../../../src/base/logging/log.ts'
import { soloEngine } from '../../../src/engine/solo/engine.ts'
import { type Node, startNode } from '../../../src/node/node.ts'
import type { NodeOptions } from '../../../src/node/opening/nodeOptions.ts'
import { nodeOptions } from '../../support/nodeOptions.ts'
import { Traffic } from '../../support/traffic/traffic.ts'
import type { Rpc } from '../../support/verifier/rpc.ts'

export interface SoloChain {
  readonly node: Node
  readonly traffic: Traffic
  close(): Promise<void>
}

const devMnemonic = 'test test test test test test test test test test test junk'

/** What makes traffic, over the port itself. */
const rpcOf = ({ chain }: Node): Rpc =>
  (async (method: string, ...params: readonly string[]) => {
    const [first = ''] = params
    switch (method) {
      case 'eth_chainId':
        return toQuantity(chain.config.chainId)
      case 'eth_getTransactionCount':
        return toQuantity(await chain.pool.nextNonce(fromHex(first)))
      case 'eth_sendRawTransaction': {
        const hash = await chain.pool.submit(fromHex(first))
        await chain.pool.waitForSeal(hash)
        return toHex(hash)
      }
      case 'eth_getTransactionReceipt': {
        const place = chain.blocks.locate(fromHex(first))
        const json = place && chain.blocks.receiptJson(place)
        return json === undefined ? null : JSON.parse(Buffer.from(json).toString())
      }
      default:
        throw new Error(`${method} is not needed here`)
    }
  }) as Rpc

/** A chain of varied transactions, a block for each. */
export const startSoloChain = async (
  transactions: number,
  options: Partial<NodeOptions> = {},
): Promise<SoloChain> => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-own-'))
  const bank = fromHex(mnemonicToAccount(devMnemonic).address)
  const defaults = nodeOptions(folder, [{ address: bank, balance: 10n ** 24n }])
  const node = await startNode(
    {
      ...defaults,
      jsonRpc: { ...defaults.jsonRpc, gasCap: 50_000_000n, callQueue: 10 },
      engine: soloEngine({ blockTimeMs: undefined, createEmptyBlocks: false }, { onFatal: () => {} }),
      ...options,
    },
    createLogger('silent'),
  )
  const traffic = new Traffic(rpcOf(node), 7, 6)
  await traffic.setUp()
  for (let count = 0; count < transactions; count++) await traffic.send()
  return {
    node,
    traffic,
    close: async () => {
      await node.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
