import { startTestNode, type TestNode } from '../support/node.ts'
import { compileTraffic } from '../support/traffic/contract.ts'
import { Traffic } from '../support/traffic/traffic.ts'
import { createRpc, type Rpc } from '../support/verifier/rpc.ts'

/** A node in this process whose chain grows and is taken back as a test wants. */
export class TrafficChain {
  readonly node: TestNode
  readonly rpc: Rpc
  /** Every contract that traffic has gone to, those of blocks that were taken back among them. */
  readonly contracts: string[] = []
  #traffic: Traffic | undefined
  #seed = 31

  private constructor(node: TestNode) {
    this.node = node
    this.rpc = createRpc(node.http)
  }

  static async start(...flags: readonly string[]): Promise<TrafficChain> {
    const chain = new TrafficChain(await startTestNode('--ephemeral', ...flags))
    await chain.#begin()
    return chain
  }

  get abi(): readonly unknown[] {
    return compileTraffic().abi
  }

  async head(): Promise<number> {
    return Number(await this.rpc<string>('eth_blockNumber'))
  }

  /** Sends so many transactions, each of which has a block. */
  async send(count: number): Promise<void> {
    for (let sent = 0; sent < count; sent++) await this.#traffic?.send()
  }

  /** Takes the newest blocks back; the traffic goes on with other senders and another contract. */
  async takeBack(blocks: number): Promise<void> {
    const height = (await this.head()) - blocks
    await this.node.call('debug_setHead', `0x${height.toString(16)}`)
    await this.#begin()
  }

  close(): Promise<void> {
    return this.node.close()
  }

  async #begin(): Promise<void> {
    this.#traffic = new Traffic(this.rpc, this.#seed++, 4)
    await this.#traffic.setUp()
    this.contracts.push(this.#traffic.contract.toLowerCase())
  }
}
