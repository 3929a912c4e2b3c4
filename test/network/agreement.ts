import assert from 'node:assert/strict'
import { toQuantity } from '../../src/base/encoding/hex.ts'
import { askEngine, heightOf, postText } from './rpcHelpers.ts'
import type { NetworkNode } from './testnet.ts'

/** CometBFT gives no more headers at once. */
const headersAtOnce = 20
/** Below the limit of a batch. */
const callsAtOnce = 500
const blocksAtOnce = 10

interface EngineHeader {
  readonly block_id: { readonly hash: string }
  readonly header: { readonly height: string; readonly app_hash: string }
}

type Call = readonly [method: string, ...params: unknown[]]

/** Everything that can be asked about a block. */
const blockCalls = (number: string): readonly Call[] => [
  ['eth_getBlockByNumber', number, false],
  ['eth_getBlockByNumber', number, true],
  ['eth_getHeaderByNumber', number],
  ['eth_getBlockReceipts', number],
  ['eth_getBlockTransactionCountByNumber', number],
  ['eth_getLogs', { fromBlock: number, toBlock: number }],
  ['debug_getRawBlock', number],
  ['debug_getRawHeader', number],
  ['debug_getRawReceipts', number],
  ['perihelion_validators', number],
  ['clique_getSigners', number],
]

const hashCalls = (hash: string): readonly Call[] => [
  ['eth_getBlockByHash', hash, true],
  ['eth_getHeaderByHash', hash],
  ['eth_getLogs', { blockHash: hash }],
]

const transactionCalls = (hash: string): readonly Call[] => [
  ['eth_getTransactionByHash', hash],
  ['eth_getTransactionReceipt', hash],
  ['eth_getRawTransactionByHash', hash],
]

interface Answer {
  readonly result?: { readonly hash?: string; readonly transactions?: readonly string[] }
  readonly error?: { readonly message: string }
}

/** Holds all nodes of a network to the same answers about every block. */
export class Agreement {
  readonly #nodes: readonly NetworkNode[]
  #next = 0
  #answers = 0
  /** How often each transaction is in a block. */
  readonly included = new Map<string, number>()

  constructor(nodes: readonly NetworkNode[]) {
    this.#nodes = nodes
  }

  /** Answers that were compared. */
  get answers(): number {
    return this.#answers
  }

  /** Blocks that were compared. */
  get blocks(): number {
    return this.#next
  }

  /** Compares the blocks that every node has and that were not compared before. */
  async check(): Promise<void> {
    const head = Math.min(...(await Promise.all(this.#nodes.map(heightOf))))
    const appHashes = await this.#checkHeaders(Math.max(1, this.#next), head)
    while (this.#next <= head) {
      const last = Math.min(head, this.#next + blocksAtOnce - 1)
      await this.#checkBlocks(this.#next, last, appHashes)
      this.#next = last + 1
    }
  }

  async #checkBlocks(from: number, to: number, appHashes: ReadonlyMap<number, string>): Promise<void> {
    const heights = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    const calls = heights.map((height) => blockCalls(toQuantity(height)))
    const answers = await this.#same(calls.flat())
    const each = answers.length / heights.length
    const further: Call[] = []
    for (const [index, height] of heights.entries()) {
      const { hash = '', transactions = [] } = answers[index * each]?.result ?? {}
      // The header of the next block commits to this one.
      const committed = appHashes.get(height + 1)
      if (committed !== undefined)
        assert.equal(committed, hash.slice(2).toUpperCase(), `AppHash of ${height}`)
      further.push(...hashCalls(hash), ...transactions.flatMap(transactionCalls))
      for (const one of transactions) this.included.set(one, (this.included.get(one) ?? 0) + 1)
    }
    await this.#same(further)
  }

  /** What the engines say; the AppHash of each height. */
  async #checkHeaders(from: number, to: number): Promise<ReadonlyMap<number, string>> {
    const hashes = new Map<number, string>()
    for (let least = from; least <= to; least += headersAtOnce) {
      const most = Math.min(to, least + headersAtOnce - 1)
      const [first = [], ...others] = await Promise.all(
        this.#nodes.map(async (node) => {
          const range = { minHeight: `${least}`, maxHeight: `${most}` }
          const { block_metas: headers } = await askEngine<{ block_metas: readonly EngineHeader[] }>(
            node,
            'blockchain',
            range,
          )
          return headers.map(({ block_id: id, header }) => [header.height, header.app_hash, id.hash])
        }),
      )
      for (const [index, other] of others.entries())
        assert.deepEqual(other, first, `the engine of node ${index + 1} differs in ${least} to ${most}`)
      for (const [height, appHash = ''] of first) hashes.set(Number(height), appHash)
    }
    return hashes
  }

  /** The answers of the first node, byte by byte those of all others. */
  async #same(calls: readonly Call[]): Promise<readonly Answer[]> {
    const answers: Answer[] = []
    for (let at = 0; at < calls.length; at += callsAtOnce) {
      const batch = calls.slice(at, at + callsAtOnce)
      const body = JSON.stringify(
        batch.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })),
      )
      const [first = '', ...others] = await Promise.all(this.#nodes.map(({ http }) => postText(http, body)))
      for (const [index, other] of others.entries())
        if (other !== first) assert.fail(describeDifference(batch, first, other, index + 1))
      const parsed = JSON.parse(first) as Answer[]
      for (const [index, { error }] of parsed.entries())
        if (error !== undefined) assert.fail(`${JSON.stringify(batch[index])}: ${error.message}`)
      answers.push(...parsed)
    }
    this.#answers += answers.length
    return answers
  }
}

const describeDifference = (calls: readonly Call[], one: string, other: string, index: number): string => {
  const [left, right] = [one, other].map((text) => JSON.parse(text) as unknown[]) as [unknown[], unknown[]]
  const at = calls.findIndex(
    (_, position) => JSON.stringify(left[position]) !== JSON.stringify(right[position]),
  )
  return `${JSON.stringify(calls[at])}: node 0 says ${JSON.stringify(left[at])}, node ${index} ${JSON.stringify(right[at])}`
}
