import { type Connection, call, connect } from '../load/connection.ts'
import { encodeRequest } from '../load/rawLoad.ts'
import type { RunningNode } from '../peers/runningNode.ts'
import { type ChainPlan, type ChainSize, contracts } from './plan.ts'
import { type Receipt, waitForReceipt } from './receipts.ts'
import { recipient, recipientCount, type SignedTransaction } from './signing.ts'

export interface BuiltBlock {
  readonly number: number
  readonly hash: string
}

/** A chain on a node, as far as requests need to know it. */
export interface BuiltChain {
  readonly size: ChainSize
  readonly holders: readonly string[]
  readonly logBlocks: readonly BuiltBlock[]
  readonly busyBlocks: readonly BuiltBlock[]
  /** Hashes of the transactions in busy blocks. */
  readonly transfers: readonly string[]
  readonly heavy: readonly string[]
}

const send = (connection: Connection, { raw }: SignedTransaction): Promise<string> =>
  call<string>(connection, 'eth_sendRawTransaction', raw)

const sendBatch = async (connection: Connection, signed: readonly SignedTransaction[]): Promise<void> => {
  const calls = signed.map(({ raw }, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransaction',
    params: [raw],
  }))
  const text = await connection.exchange(encodeRequest(JSON.stringify(calls)))
  const failed = /"error":\{[^}]*\}/.exec(text)
  if (failed !== null) throw new Error(`a transaction was rejected: ${failed[0].slice(0, 200)}`)
}

/** Brings transactions into one block, in the way that the program has for it. */
const produceBlock = async (
  { program }: RunningNode,
  connection: Connection,
  signed: readonly SignedTransaction[],
): Promise<Receipt> => {
  const [first, ...others] = signed as readonly [SignedTransaction, ...SignedTransaction[]]
  const last = others.at(-1) ?? first
  if (program.oneBlock === 'gap') {
    await sendBatch(connection, others)
    await send(connection, first)
  } else if (program.oneBlock === 'automine') {
    await call(connection, 'evm_setAutomine', false)
    await sendBatch(connection, signed)
    await call(connection, 'evm_mine')
    await call(connection, 'evm_setAutomine', true)
  } else {
    await call(connection, 'miner_stop')
    await sendBatch(connection, signed)
    await call(connection, 'miner_start')
  }
  return waitForReceipt(connection, last.hash)
}

const placeOf = ({ blockNumber, blockHash }: Receipt): BuiltBlock => ({
  number: Number(blockNumber),
  hash: blockHash,
})

/** Makes the chain of a plan on a node that makes blocks on demand. */
export const buildChain = async (node: RunningNode, plan: ChainPlan): Promise<BuiltChain> => {
  const connection = await connect(node.port)
  const sendAlone = async (signed: SignedTransaction): Promise<Receipt> => {
    await send(connection, signed)
    const receipt = await waitForReceipt(connection, signed.hash)
    if (receipt.status !== '0x1') throw new Error(`a transaction of the chain failed: ${signed.hash}`)
    return receipt
  }
  try {
    const made: string[] = []
    for (const signed of plan.setUp) made.push((await sendAlone(signed)).contractAddress ?? '')
    if (made[0]?.toLowerCase() !== contracts.token || made[1]?.toLowerCase() !== contracts.workbench)
      throw new Error(`the contracts are elsewhere: ${made[0]}, ${made[1]}`)
    const logBlocks: BuiltBlock[] = []
    for (const signed of plan.logs) logBlocks.push(placeOf(await sendAlone(signed)))
    const busyBlocks: BuiltBlock[] = []
    for (const block of plan.busy) {
      const place = placeOf(await produceBlock(node, connection, block))
      const count = await call<string>(
        connection,
        'eth_getBlockTransactionCountByNumber',
        `0x${place.number.toString(16)}`,
      )
      if (Number(count) !== block.length)
        throw new Error(`a block has ${Number(count)} transactions in place of ${block.length}`)
      busyBlocks.push(place)
    }
    for (const signed of plan.heavy) await sendAlone(signed)
    return {
      size: plan.size,
      holders: Array.from({ length: recipientCount }, (_, index) => recipient(index)),
      ...{ logBlocks, busyBlocks },
      transfers: plan.busy.flat().map(({ hash }) => hash),
      heavy: plan.heavy.map(({ hash }) => hash),
    }
  } finally {
    connection.close()
  }
}

/** Returns the beginning of a chain that a shorter one has too. */
export const shorten = (chain: BuiltChain, size: ChainSize): BuiltChain => ({
  ...chain,
  size,
  logBlocks: chain.logBlocks.slice(0, size.logBlocks),
  busyBlocks: chain.busyBlocks.slice(0, size.busyBlocks),
  transfers: chain.transfers.slice(0, size.busyBlocks * size.perBlock),
  heavy: chain.heavy.slice(0, size.heavyBlocks),
})
