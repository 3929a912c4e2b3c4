import { setTimeout as sleep } from 'node:timers/promises'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Random } from '../support/random.ts'
import { devKey } from './ledger.ts'
import { call } from './rpcHelpers.ts'
import type { NetworkNode } from './testnet.ts'

const gwei = 10n ** 9n
const retryMs = 100
/** The nonces that are signed together, and sent in any order. */
const burst = 8
/** The nonces that a sender may be ahead of the chain: more than the pools of the test have room for. */
const maxAhead = 48

interface Send {
  readonly nonce: number
  readonly raw: string
}

/** What the network knows of one sender. */
export interface Standing {
  /** The acknowledged transactions without a receipt. */
  readonly open: readonly string[]
  /** Those of them that no node knows. */
  readonly lost: readonly string[]
  /** Whether the nonce that the chain waits for was acknowledged. */
  readonly isStuck: boolean
  /** Whether the chain has used all nonces that were sent. */
  readonly isDone: boolean
}

/** A sender that gives its nonces to any node in any order, at any price, and remembers what was acknowledged. */
export class KillSender {
  readonly #account: PrivateKeyAccount
  readonly #random: Random
  readonly #nodes: readonly NetworkNode[]
  /** The nonces that were signed. */
  sent = 0
  /** The nonces of the acknowledged transactions by hash. */
  readonly acknowledged = new Map<string, number>()
  /** How often a node had no room and said so. */
  refused = 0

  constructor(index: number, random: Random, nodes: readonly NetworkNode[]) {
    this.#account = privateKeyToAccount(devKey(index))
    this.#random = random
    this.#nodes = nodes
  }

  /** Sends until the signal, and then until each nonce is with a node. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#waitForChain(signal)
      const sends: Send[] = []
      for (let count = 0; count < burst; count++) sends.push(await this.#sign())
      const order = sends.map((send) => [this.#random.fraction(), send] as const)
      await Promise.all(order.sort(([one], [other]) => one - other).map(([, send]) => this.#send(send)))
    }
  }

  async #sign(): Promise<Send> {
    const tip = 1n + BigInt(this.#random.below(5))
    const nonce = this.sent++
    const raw = await this.#account.signTransaction({
      chainId: 31_337,
      type: 'eip1559',
      nonce,
      to: '0x000000000000000000000000000000000000dead',
      value: 1n,
      gas: 21_000n,
      maxFeePerGas: 10n * gwei,
      maxPriorityFeePerGas: tip * gwei,
    })
    return { nonce, raw }
  }

  async #send({ nonce, raw }: Send): Promise<void> {
    for (;;) {
      try {
        this.acknowledged.set(
          await call(this.#random.pick(this.#nodes), 'eth_sendRawTransaction', raw),
          nonce,
        )
        return
      } catch (error) {
        const { message } = error as Error
        // A node took it and was killed before it could say so.
        if (/already known|nonce too low/.test(message)) return
        if (/account limit|txpool is|underpriced/.test(message)) this.refused++
        else if (message.startsWith('eth_')) throw error
        await sleep(retryMs)
      }
    }
  }

  async #waitForChain(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.sent - (await this.chainNonce()) > maxAhead) await sleep(retryMs)
  }

  /** Asks any node that answers. */
  async chainNonce(): Promise<number> {
    for (;;) {
      try {
        const node = this.#random.pick(this.#nodes)
        return Number(await call<string>(node, 'eth_getTransactionCount', this.#account.address, 'latest'))
      } catch {
        // That node is dead.
        await sleep(retryMs)
      }
    }
  }

  /** Asks all nodes, which have to be up. */
  async standing(): Promise<Standing> {
    const next = await this.chainNonce()
    const behind = [...this.acknowledged].filter(([, nonce]) => nonce >= next).map(([hash]) => hash)
    const lost: string[] = []
    for (const hash of behind) if (!(await this.#isKnown(hash))) lost.push(hash)
    const open: string[] = []
    for (const hash of this.acknowledged.keys())
      if ((await call(this.#nodes[0] as NetworkNode, 'eth_getTransactionReceipt', hash)) === null)
        open.push(hash)
    return { open, lost, isStuck: [...this.acknowledged.values()].includes(next), isDone: next === this.sent }
  }

  async #isKnown(hash: string): Promise<boolean> {
    for (const node of this.#nodes)
      if ((await call(node, 'eth_getTransactionByHash', hash)) !== null) return true
    return false
  }
}
