import { calldata, deployment, type WantedLog } from '../support/logContract.ts'
import { createRandom, type Random } from '../support/random.ts'
import type { LogNode } from './logNode.ts'

/** What random chains and random filters choose from, so that they meet often. */
export class LogWorld {
  readonly random: Random
  contracts: readonly string[] = []
  readonly #topics: readonly string[]
  readonly #rare: string[] = []

  constructor(seed: number) {
    this.random = createRandom(seed)
    this.#topics = Array.from({ length: 6 }, (_, index) => this.#word(index))
  }

  below(limit: number): number {
    return this.random.below(limit)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** Mostly one of few, the first of them most often; now and then one that is hardly ever seen. */
  topic(): string {
    if (this.below(12) === 0) {
      const rare = this.#word(1_000 + this.below(100_000))
      this.#rare.push(rare)
      return rare
    }
    return this.#topics[Math.min(this.below(6), this.below(6))] as string
  }

  /** One to ask for: known, rare, or not there at all. */
  wantedTopic(): string {
    const kind = this.below(10)
    if (kind === 0) return `0x${this.#word(999)}`
    if (kind < 3 && this.#rare.length > 0) return `0x${this.pick(this.#rare)}`
    return `0x${this.topic()}`
  }

  /** Deploys the contracts, on a chain that is new. */
  async setUp(node: LogNode): Promise<void> {
    const [from] = await node.call<string[]>('eth_accounts')
    const contracts: string[] = []
    for (let index = 0; index < 4; index++) {
      const hash = await node.call<string>('eth_sendTransaction', {
        from,
        data: deployment(),
        gas: '0x100000',
      })
      contracts.push((await receiptOf(node, hash)).contractAddress)
    }
    this.contracts = contracts
  }

  /** Adds blocks: some empty, some with a few transactions, some with more than a page of them. */
  async grow(node: LogNode, rounds: number): Promise<void> {
    const accounts = await node.call<string[]>('eth_accounts')
    for (let round = 0; round < rounds; round++) {
      const count = this.below(6) === 0 ? 30 + this.below(40) : this.below(4)
      const calls = Array.from({ length: count }, (_, index) => ({
        method: 'eth_sendTransaction',
        params: [this.#transaction(accounts[index % accounts.length] as string)],
      }))
      const answers = calls.length > 0 ? await node.batch(calls) : []
      const failed = answers.find(({ error }) => error !== undefined)
      if (failed) throw new Error(`eth_sendTransaction: ${failed.error?.message}`)
      for (const { result } of answers) await receiptOf(node, result as string)
    }
  }

  #transaction(from: string): object {
    // One in nine is not a call of a contract, or one that runs out of gas: no logs.
    if (this.below(9) === 0) return { from, to: this.pick(this.contracts), gas: '0x5300', data: '0x' }
    const logs = Array.from({ length: this.below(8) }, () => this.#log())
    return { from, to: this.pick(this.contracts), gas: '0x40000', data: calldata(logs) }
  }

  #log(): WantedLog {
    return {
      topics: Array.from({ length: this.below(5) }, () => this.topic()),
      data: this.#word(this.below(1_000)),
    }
  }

  #word(value: number): string {
    return value.toString(16).padStart(64, value % 2 === 0 ? '0' : 'a')
  }
}

interface MinedReceipt {
  readonly contractAddress: string
  readonly blockNumber: string
}

/** Once the transaction is in a block, and that block is the head or below it. */
const receiptOf = async (node: LogNode, hash: string): Promise<MinedReceipt> => {
  for (;;) {
    const receipt = await node.call<MinedReceipt | null>('eth_getTransactionReceipt', hash)
    if (receipt !== null && (await node.head()) >= Number(receipt.blockNumber)) return receipt
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
