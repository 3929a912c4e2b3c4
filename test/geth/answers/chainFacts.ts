import type { RpcClient } from '../../support/rpc/rpcClient.ts'

interface BlockFact {
  readonly number: string
  readonly hash: string
  readonly transactions: readonly string[]
}

/** What questions need to know of a chain. */
export interface ChainFacts {
  readonly head: BlockFact
  readonly blocks: readonly BlockFact[]
  /** A transaction of each type, and some others. */
  readonly transactions: readonly string[]
  /** The sender of most transactions. */
  readonly sender: string
}

export const readChainFacts = async (node: RpcClient): Promise<ChainFacts> => {
  const head = await node.call<BlockFact>('eth_getBlockByNumber', 'latest', false)
  const height = Number(head.number)
  const blocks: BlockFact[] = []
  for (const number of [0, 1, 2, 16, 48, 72, height]) {
    const {
      number: text,
      hash,
      transactions,
    } = await node.call<BlockFact>(
      'eth_getBlockByNumber',
      `0x${Math.min(number, height).toString(16)}`,
      false,
    )
    blocks.push({ number: text, hash, transactions })
  }
  const transactions = blocks.flatMap((block) => block.transactions.slice(0, 1))
  const first = await node.call<{ from: string }>('eth_getTransactionByHash', transactions[0])
  return { head, blocks, transactions, sender: first.from }
}
