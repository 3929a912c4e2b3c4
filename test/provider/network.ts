import { type Network, startNetwork } from '../network/testnet.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { createRpc, type Rpc } from '../support/verifier/rpc.ts'

/** A real network of four validators with traffic in its blocks, and what questions are about. */
export interface LightNetwork {
  readonly urls: readonly string[]
  readonly rpc: Rpc
  /** A block that is trusted from the beginning. */
  readonly trust: { readonly height: number; readonly hash: string }
  /** Blocks up to this one are asked about. */
  readonly head: number
  readonly contract: string
  readonly accounts: readonly string[]
  readonly transactions: readonly string[]
  readonly network: Network
}

interface BlockJson {
  readonly transactions: readonly string[]
}

const quantity = (value: number): string => `0x${value.toString(16)}`

/** Starts the network and sends so many transactions. */
export const startLightNetwork = async (
  count: number,
  start: () => Promise<Network> = () => startNetwork(4),
): Promise<LightNetwork> => {
  const network = await start()
  try {
    const urls = network.nodes.map(({ http }) => http)
    const rpc = createRpc(urls[0] ?? '')
    const traffic = new Traffic(rpc, 5, 6)
    await traffic.setUp()
    let last = ''
    for (let sent = 0; sent < count; sent++) {
      last = await traffic.send()
      // A sender that delegates may have no second one under way.
      while ((await rpc('eth_getTransactionReceipt', last)) === null) await rpc('eth_blockNumber')
    }
    const [trusted] = await rpc<readonly [{ readonly height: number; readonly hash: string }]>(
      'perihelion_lightBlock',
      ['0x3'],
    )
    // The next block signs it.
    const head = Number(await rpc<string>('eth_blockNumber'))
    while (Number(await rpc<string>('eth_blockNumber')) < head + 2) await rpc('eth_chainId')
    const transactions: string[] = []
    for (let number = 1; number <= head; number++)
      transactions.push(
        ...(await rpc<BlockJson>('eth_getBlockByNumber', quantity(number), false)).transactions,
      )
    return {
      ...{ urls, rpc, head, transactions, network },
      trust: { height: trusted.height, hash: trusted.hash },
      contract: traffic.contract,
      accounts: traffic.addresses,
    }
  } catch (error) {
    await network.stop()
    throw error
  }
}
