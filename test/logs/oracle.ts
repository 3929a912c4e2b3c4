import { isDeepStrictEqual } from 'node:util'
import type { LogNode } from './logNode.ts'
import type { LogWorld } from './randomLogs.ts'

/** A log as receipts have it. */
interface ReceiptLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly blockNumber: string
  readonly blockHash: string
}

interface RandomFilter {
  fromBlock?: string
  toBlock?: string
  blockHash?: string
  blockhash?: string
  address?: string | readonly string[] | null
  topics?: readonly (string | null | readonly (string | null)[])[] | null
}

const hex = (number: number): string => `0x${number.toString(16)}`

/** All logs of a chain, read block by block from receipts: what the index has to agree with. */
export class Oracle {
  readonly #logs: readonly ReceiptLog[]
  readonly #hashes: readonly string[]
  readonly #oldest: number
  readonly head: number

  private constructor(logs: readonly ReceiptLog[], hashes: readonly string[], oldest: number) {
    this.#logs = logs
    this.#hashes = hashes
    this.#oldest = oldest
    this.head = hashes.length - 1
  }

  /** `oldest`: the first block whose receipts are kept. */
  static async read(node: LogNode, oldest = 0): Promise<Oracle> {
    const head = await node.head()
    const logs: ReceiptLog[] = []
    const hashes: string[] = []
    for (let number = 0; number <= head; number++) {
      const block = await node.call<{ hash: string } | null>('eth_getHeaderByNumber', hex(number))
      hashes.push(block?.hash ?? '')
      if (number < oldest) continue
      const receipts = await node.call<{ logs: ReceiptLog[] }[]>('eth_getBlockReceipts', hex(number))
      logs.push(...receipts.flatMap((receipt) => receipt.logs))
    }
    return new Oracle(logs, hashes, oldest)
  }

  /** Asks for the logs of random filters; throws where an answer is not what a look at every receipt gives. */
  async compare(node: LogNode, world: LogWorld, cases: number): Promise<{ readonly logs: number }> {
    let logs = 0
    for (let done = 0; done < cases; done += 50) {
      const filters = Array.from({ length: Math.min(50, cases - done) }, () => this.#randomFilter(world))
      const answers = await node.batch(filters.map((filter) => ({ method: 'eth_getLogs', params: [filter] })))
      for (const [index, filter] of filters.entries()) {
        const expected = this.#expected(filter)
        const { result, error } = answers[index] ?? {}
        const got = error?.code ?? result
        if (!isDeepStrictEqual(got, expected)) {
          const counts = [got, expected].map((side) => (Array.isArray(side) ? `${side.length} logs` : side))
          throw new Error(`${JSON.stringify(filter)}: got ${counts[0]}, expected ${counts[1]}`)
        }
        if (Array.isArray(expected)) logs += expected.length
      }
    }
    return { logs }
  }

  /** The logs, or the code of the error. */
  #expected(filter: RandomFilter): readonly ReceiptLog[] | number {
    const hash = filter.blockHash ?? filter.blockhash
    if (hash !== undefined) {
      const number = this.#hashes.indexOf(hash)
      if (number < 0) return -32000
      return number > 0 && number < this.#oldest ? -32002 : this.#within(filter, number, number)
    }
    const from = this.#height(filter.fromBlock)
    const to = this.#height(filter.toBlock)
    if (from > to || to > this.head) return -32602
    const isPruned = this.#oldest > 1 && from < this.#oldest && to > 0
    return isPruned ? -32002 : this.#within(filter, from, to)
  }

  #height(block: string | undefined): number {
    if (block === 'earliest') return this.#oldest
    return block?.startsWith('0x') ? Number(block) : this.head
  }

  #within(filter: RandomFilter, from: number, to: number): readonly ReceiptLog[] {
    return this.#logs.filter((log) => {
      const number = Number(log.blockNumber)
      if (number < from || number > to) return false
      const addresses = [filter.address ?? []].flat()
      if (addresses.length > 0 && !addresses.includes(log.address)) return false
      const topics = filter.topics ?? []
      if (topics.length > log.topics.length) return false
      return topics.every((wanted, position) => {
        const choices = [wanted].flat()
        return (
          choices.length === 0 || choices.includes(null) || choices.includes(log.topics[position] as string)
        )
      })
    })
  }

  #randomFilter(world: LogWorld): RandomFilter {
    const filter: RandomFilter = {}
    const kind = world.below(20)
    if (kind === 0) filter.blockHash = world.pick(this.#hashes)
    else if (kind === 1) filter.blockhash = world.pick([...this.#hashes, `0x${'99'.repeat(32)}`])
    else if (kind > 2) Object.assign(filter, this.#randomRange(world))
    const addresses = [...world.contracts, `0x${'77'.repeat(20)}`]
    const several = (): string[] => addresses.filter(() => world.below(2) === 0)
    if (world.below(2) === 0)
      filter.address = world.pick([null, world.pick(addresses), world.pick(addresses), several(), []])
    if (world.below(5) > 0)
      filter.topics = Array.from({ length: world.below(5) }, () => randomPosition(world))
    return filter
  }

  #randomRange(world: LogWorld): Pick<RandomFilter, 'fromBlock' | 'toBlock'> {
    const low = this.#oldest + world.below(this.head + 1 - this.#oldest)
    const high = low + world.below(this.head + 1 - low)
    switch (world.below(10)) {
      case 0:
        return { fromBlock: 'earliest', toBlock: 'latest' }
      case 1:
        return { fromBlock: hex(low), toBlock: world.pick(['latest', 'safe', 'finalized']) }
      case 2:
        return { fromBlock: 'earliest', toBlock: hex(high) }
      case 3:
        // Wrong in one of three ways, or pruned.
        return world.pick([
          { fromBlock: hex(high + 1), toBlock: hex(low) },
          { fromBlock: hex(low), toBlock: hex(this.head + 1 + world.below(3)) },
          { fromBlock: hex(this.head + 1) },
          { fromBlock: hex(world.below(this.#oldest + 1)), toBlock: hex(high) },
        ])
      default:
        return { fromBlock: hex(low), toBlock: hex(high) }
    }
  }
}

const randomPosition = (world: LogWorld): string | null | readonly (string | null)[] => {
  switch (world.below(8)) {
    case 0:
    case 1:
    case 2:
      return null
    case 3:
      return []
    case 4:
      return Array.from({ length: 1 + world.below(3) }, () => world.wantedTopic())
    case 5:
      return world.below(4) === 0 ? [world.wantedTopic(), null] : [world.wantedTopic()]
    default:
      return world.wantedTopic()
  }
}
