import { type Abi, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { Rpc } from '../support/verifier/rpc.ts'
import { toTag, type WireBlock, type WireLog, type WireReceipt } from './types.ts'

/** A trace with its place in the chain. */
interface PlacedTrace {
  readonly action: Readonly<Record<string, string>>
  readonly error?: string
  readonly blockNumber: number
  readonly blockHash: string
  readonly transactionHash: string
  readonly traceAddress: readonly number[]
  readonly type: string
}

export interface SubgraphOptions {
  readonly addresses: readonly string[]
  readonly abi: readonly unknown[]
  /** The signature of the event that is handled. */
  readonly topic: string
  /** The blocks of one range. */
  readonly step: number
}

interface BlockPointer {
  readonly number: number
  readonly hash: string
}

/** What graph-node gives a call of a handler. */
const callGas = '0x2faf080'

/** A row for a call handler. */
export const toCallRow = (trace: PlacedTrace): string => {
  const { blockNumber, transactionHash, traceAddress, action } = trace
  return `call ${blockNumber} ${transactionHash} [${traceAddress}] ${action.from} ${action.to} ${action.value} ${action.input}`
}

/** Whether a call handler runs: calls that are not delegated, and that did not fail. */
export const isHandled = ({ type, action, error }: PlacedTrace, addresses: readonly string[]): boolean =>
  type === 'call' &&
  action.callType === 'call' &&
  error === undefined &&
  addresses.includes(action.to as string)

export type { PlacedTrace }

/**
 * Follows a chain as graph-node does: triggers of a range by `eth_getLogs` and `trace_filter`, then block by block in order, with calls at
 * the block's hash.
 */
export class Subgraph {
  readonly #rpc: Rpc
  readonly #options: SubgraphOptions
  /** The rows of each block that has some. */
  readonly rows = new Map<number, readonly string[]>()
  readonly #pointers: BlockPointer[] = []
  reverts = 0

  constructor(rpc: Rpc, options: SubgraphOptions) {
    this.#rpc = rpc
    this.#options = options
  }

  get pointer(): BlockPointer | undefined {
    return this.#pointers.at(-1)
  }

  /** Goes on to the head as it is now. */
  async sync(): Promise<void> {
    await this.#revertToCommon()
    const { step } = this.#options
    const head = Number((await this.#rpc<WireBlock>('eth_getBlockByNumber', 'latest', false)).number)
    for (let from = (this.pointer?.number ?? -1) + 1; from <= head; from += step)
      await this.#processRange(from, Math.min(head, from + step - 1))
  }

  /** Blocks that are not in the chain any more are undone, the newest first. */
  async #revertToCommon(): Promise<void> {
    for (let last = this.pointer; last !== undefined; last = this.pointer) {
      const block = await this.#rpc<WireBlock | null>('eth_getBlockByNumber', toTag(last.number), false)
      if (block?.hash === last.hash) return
      this.#pointers.pop()
      this.rows.delete(last.number)
      this.reverts++
    }
  }

  async #processRange(from: number, to: number): Promise<void> {
    const { addresses, topic } = this.#options
    const range = { fromBlock: toTag(from), toBlock: toTag(to) }
    const logs = await this.#rpc<readonly WireLog[]>('eth_getLogs', {
      ...range,
      address: addresses,
      topics: [[topic]],
    })
    const traces = await this.#rpc<readonly PlacedTrace[]>('trace_filter', { ...range, toAddress: addresses })
    for (let number = from; number <= to; number++) {
      const { hash } = await this.#rpc<WireBlock>('eth_getBlockByNumber', toTag(number), false)
      const ownLogs = logs.filter(({ blockNumber }) => Number(blockNumber) === number)
      const ownTraces = traces.filter((trace) => trace.blockNumber === number && isHandled(trace, addresses))
      if ([...ownLogs, ...ownTraces].some(({ blockHash }) => blockHash !== hash))
        throw new Error(`a trigger of block ${number} is of another block`)
      if (ownLogs.length + ownTraces.length > 0)
        this.rows.set(number, await this.#process(hash, ownLogs, ownTraces))
      this.#pointers.push({ number, hash })
    }
  }

  async #process(
    hash: string,
    logs: readonly WireLog[],
    traces: readonly PlacedTrace[],
  ): Promise<readonly string[]> {
    const block = await this.#rpc<WireBlock>('eth_getBlockByHash', hash, true)
    const receipts = await this.#rpc<readonly WireReceipt[]>('eth_getBlockReceipts', { blockHash: hash })
    const known = new Set(block.transactions.map((transaction) => transaction.hash))
    const rows: string[] = []
    for (const log of logs) {
      const receipt = receipts.find(({ transactionHash }) => transactionHash === log.transactionHash)
      if (receipt === undefined || !known.has(log.transactionHash))
        throw new Error(`no receipt of ${log.transactionHash}`)
      const who = `0x${(log.topics[1] ?? '').slice(26)}`
      const count = await this.countOf(log.address, who, { blockHash: hash })
      rows.push(`event ${Number(log.blockNumber)} ${log.logIndex} ${who} ${Number(log.topics[2])} ${count}`)
    }
    return [...rows, ...traces.map(toCallRow)]
  }

  /** What a contract holds of an account, by a call at a block. */
  async countOf(to: string, who: string, block: object): Promise<bigint> {
    const abi = this.#options.abi as Abi
    const data = encodeFunctionData({ abi, functionName: 'counts', args: [who] })
    const result = await this.#rpc<Hex>('eth_call', { to, data, gas: callGas }, block)
    return decodeFunctionResult({ abi, functionName: 'counts', data: result }) as bigint
  }
}
