import { type EIP1193RequestFn, zeroHash } from 'viem'
import {
  flatFrames,
  toTag,
  type WireBlock,
  type WireFrames,
  type WireLog,
  type WireReceipt,
} from './types.ts'

/** What is wanted of a chain: logs of contracts, and calls that reach them or move coins. */
export interface Wanted {
  readonly addresses: readonly string[]
}

/** The rows of one block, as text that can be compared. */
export type Rows = ReadonlyMap<number, readonly string[]>

const zeroBloom = `0x${'00'.repeat(256)}`

/** Makes the rows of a block from all that is known of it. */
export const toRows = (
  { addresses }: Wanted,
  block: WireBlock,
  logs: readonly WireLog[],
  receipts: readonly WireReceipt[],
  traces: readonly WireFrames[],
): readonly string[] => {
  const isWanted = (address: string | null | undefined): boolean =>
    address !== null && address !== undefined && addresses.includes(address)
  const wantedLogs = logs.filter(({ address }) => isWanted(address))
  const touched = new Set(wantedLogs.map(({ transactionHash }) => transactionHash))
  const calls = traces.flatMap(({ txHash, result }) =>
    flatFrames(result).flatMap(({ type, from, to, value = '0x0', input, error }, index) =>
      isWanted(to) || BigInt(value) > 0n
        ? [`call ${txHash} ${index} ${type} ${from} ${to} ${value} ${input} ${error}`]
        : [],
    ),
  )
  return [
    `block ${block.number} ${block.hash} ${block.timestamp}`,
    ...block.transactions
      .filter(({ hash, to }) => touched.has(hash) || isWanted(to))
      .map(({ hash, from, to, value }) => `transaction ${hash} ${from} ${to} ${value}`),
    ...receipts
      .filter(({ transactionHash }) => touched.has(transactionHash))
      .map(({ transactionHash, status, gasUsed }) => `receipt ${transactionHash} ${status} ${gasUsed}`),
    ...wantedLogs.map(
      ({ logIndex, address, topics, data, transactionHash }) =>
        `log ${logIndex} ${address} ${topics} ${data} ${transactionHash}`,
    ),
    ...calls,
  ]
}

class InconsistentAnswerError extends Error {}

/** Fails where answers about one block do not fit together: the tool gives such a node up. */
const validate = (
  block: WireBlock,
  logs: readonly WireLog[],
  receipts: readonly WireReceipt[],
  traces: readonly WireFrames[],
): void => {
  const fail = (what: string): never => {
    throw new InconsistentAnswerError(`block ${block.number}: ${what}`)
  }
  const hashes = block.transactions.map(({ hash }) => hash)
  for (const { blockHash, blockNumber } of block.transactions)
    if (blockHash !== block.hash || blockNumber !== block.number) fail('a transaction of another block')
  if (block.logsBloom !== zeroBloom && logs.length === 0) fail('a bloom without logs')
  for (const log of logs) {
    if (log.blockHash !== block.hash || log.blockNumber !== block.number) fail('a log of another block')
    if (log.transactionHash === zeroHash || hashes[Number(log.transactionIndex)] !== log.transactionHash)
      fail('a log of another transaction')
  }
  const same = (list: readonly string[]): boolean => list.join() === hashes.join()
  if (!same(receipts.map(({ transactionHash }) => transactionHash))) fail('other receipts')
  for (const { blockHash } of receipts) if (blockHash !== block.hash) fail('a receipt of another block')
  if (block.number !== '0x0' && !same(traces.map(({ txHash }) => txHash))) fail('other traces')
}

/**
 * Follows a chain as Ponder does: what is old in ranges of logs and by height, what is new by head, where a parent that is not the
 * last known block takes rows back.
 */
export class PonderFollower {
  readonly #request: EIP1193RequestFn
  readonly #wanted: Wanted
  readonly #rows = new Map<number, readonly string[]>()
  /** The blocks that were seen, in order. */
  readonly #chain: { readonly number: number; readonly hash: string }[] = []
  /** How often rows were taken back. */
  reorganizations = 0

  constructor(request: EIP1193RequestFn, wanted: Wanted) {
    this.#request = request
    this.#wanted = wanted
  }

  get rows(): Rows {
    return this.#rows
  }

  get tip(): { readonly number: number; readonly hash: string } | undefined {
    return this.#chain.at(-1)
  }

  /** Takes in what is old. */
  async backfill(from: number, to: number, step: number): Promise<void> {
    for (let first = from; first <= to; first += step) {
      const last = Math.min(to, first + step - 1)
      const { addresses } = this.#wanted
      const logs = await this.#call<readonly WireLog[]>('eth_getLogs', [
        { address: addresses, fromBlock: toTag(first), toBlock: toTag(last) },
      ])
      const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index)
      await Promise.all(
        numbers.map(async (number) => {
          const block = await this.#call<WireBlock>('eth_getBlockByNumber', [toTag(number), true])
          const all = await this.#partsOf(block)
          const own = logs.filter(({ blockNumber }) => blockNumber === block.number)
          const expected = all.logs.filter(({ address }) => addresses.includes(address))
          if (JSON.stringify(own) !== JSON.stringify(expected))
            throw new InconsistentAnswerError(`block ${number}: logs by range are not those of its hash`)
          this.#rows.set(number, toRows(this.#wanted, block, own, all.receipts, all.traces))
        }),
      )
      for (const number of numbers) {
        const [line = ''] = this.#rows.get(number) ?? []
        this.#chain.push({ number, hash: line.split(' ')[2] as string })
      }
    }
  }

  /** Takes in the newest block with those before it that are missing. A block that is gone meanwhile is left to the next head. */
  async onHead(): Promise<void> {
    const block = await this.#call<WireBlock | null>('eth_getBlockByNumber', ['latest', true])
    if (block !== null) await this.#reconcile(block)
  }

  async #reconcile(block: WireBlock): Promise<void> {
    const number = Number(block.number)
    if (this.tip?.hash === block.hash) return
    // What the node has not any more is taken back, up to a block that both have.
    while (this.tip !== undefined && (this.tip.number >= number || !(await this.#isKnown(this.tip))))
      this.#takeBack()
    for (let missing = (this.tip?.number ?? -1) + 1; missing < number; missing++)
      await this.#append(await this.#call<WireBlock>('eth_getBlockByNumber', [toTag(missing), true]))
    await this.#append(block)
  }

  async #isKnown({ number, hash }: { readonly number: number; readonly hash: string }): Promise<boolean> {
    const block = await this.#call<WireBlock | null>('eth_getBlockByNumber', [toTag(number), false])
    return block?.hash === hash
  }

  #takeBack(): void {
    const gone = this.#chain.pop()
    if (gone !== undefined && this.#rows.delete(gone.number)) this.reorganizations++
  }

  async #append(block: WireBlock): Promise<void> {
    if (this.tip !== undefined && block.parentHash !== this.tip.hash)
      throw new Error(`block ${block.number} is not on top of ${this.tip.number}`)
    const { logs, receipts, traces } = await this.#partsOf(block)
    this.#rows.set(Number(block.number), toRows(this.#wanted, block, logs, receipts, traces))
    this.#chain.push({ number: Number(block.number), hash: block.hash })
  }

  async #partsOf(block: WireBlock) {
    const [logs, receipts, traces] = await Promise.all([
      block.logsBloom === zeroBloom
        ? []
        : this.#call<readonly WireLog[]>('eth_getLogs', [{ blockHash: block.hash }]),
      this.#call<readonly WireReceipt[]>('eth_getBlockReceipts', [block.hash]),
      block.number === '0x0'
        ? []
        : this.#call<readonly WireFrames[]>('debug_traceBlockByHash', [block.hash, { tracer: 'callTracer' }]),
    ])
    validate(block, logs, receipts, traces)
    return { logs, receipts, traces }
  }

  async #call<T>(method: string, params: readonly unknown[]): Promise<T> {
    return (await this.#request({ method, params } as never)) as T // the type follows from the method
  }
}
