import { join } from 'node:path'
import { keccak256 } from '../../src/base/crypto/crypto.ts'
import { toHex } from '../../src/base/encoding/hex.ts'
import type { PoolSettings, PoolTransaction } from '../../src/pool/types.ts'
import {
  type JournaledPool,
  openJournaledPool,
  senderNumber,
  statedTransfer,
} from '../support/journaledPool.ts'
import { address, coin, gwei, testHead } from '../support/pool.ts'

/** What a client sends: a nonce counted from the head of the node that gets it, fees in gwei, and a value in coins. */
export interface Transfer {
  readonly sender: number
  readonly ahead: number
  readonly feeCap: number
  readonly tip: number
  readonly value: number
}

export interface BlockPlan {
  readonly count: number
  /** In gwei. */
  readonly baseFee: number
  /** The balances, in coins, that some senders have after the block: others pay them, or their delegated code is called. */
  readonly balances: readonly (readonly [sender: number, coins: number])[]
}

interface Account {
  readonly nonce: bigint
  readonly balance: bigint
}

interface Block {
  readonly included: readonly Uint8Array[]
  readonly baseFee: bigint
  /** The accounts that it changed, as they are after it. */
  readonly accounts: ReadonlyMap<number, Account>
}

/** A transaction that a node acknowledged. */
interface Acknowledged {
  readonly node: number
  readonly sender: number
  readonly nonce: bigint
  readonly hash: Uint8Array
}

const slotOf = ({ sender, nonce }: { readonly sender: number; readonly nonce: bigint }): string =>
  `${sender}:${nonce}`

/** A node that is killed loses all but its journal and the blocks that it has executed. */
class PoolNode {
  readonly #folder: string
  readonly #chain: readonly Block[]
  readonly #isParking: boolean
  /** The writes of its journal that succeed before one fails, and all after it. */
  writesLeft = Number.POSITIVE_INFINITY
  /** What it gave up because the sender cannot pay, by slot. */
  readonly gaveUp = new Set<string>()
  pool: JournaledPool
  height = 0

  constructor(folder: string, chain: readonly Block[], settings: Partial<PoolSettings>, isParking: boolean) {
    this.#folder = folder
    this.#chain = chain
    this.#isParking = isParking
    this.pool = this.#open(settings)
  }

  #open(settings: Partial<PoolSettings>): JournaledPool {
    this.writesLeft = Number.POSITIVE_INFINITY
    const opened = openJournaledPool(this.#folder, { settings }, () => {})
    const { pool, journal } = opened
    for (const name of ['append', 'forgetAllBut', 'rewrite', 'rewriteSync'] as const) {
      const write = journal[name].bind(journal) as (...args: unknown[]) => unknown
      const limited = (...args: unknown[]): unknown => {
        if (--this.writesLeft < 0) throw new Error('ENOSPC')
        return write(...args)
      }
      Object.assign(journal, {
        [name]: name === 'rewrite' ? async (...args: unknown[]) => limited(...args) : limited,
      })
    }
    pool.events.on('dropped', ({ transaction: tx, reason }) => {
      const slot = slotOf({ sender: senderNumber(tx), nonce: tx.transaction.nonce })
      if (reason === 'unpayable') this.gaveUp.add(slot)
    })
    // As the pool was before: what has to leave is gone, also from the journal.
    if (!this.#isParking) pool.events.on('parked', ({ hash }) => void pool.remove(hash))
    return opened
  }

  /** Opens the pool of the next process, which hears of transactions of others before it has restored its own. */
  async restart(settings: Partial<PoolSettings>, heard: readonly Uint8Array[]): Promise<void> {
    this.pool.journal.close()
    this.pool = this.#open(settings)
    const { height } = this
    this.height = 0
    this.catchUp(height)
    for (const raw of heard) await this.pool.submit(raw, false, true)
    await this.pool.submitter.restore()
  }

  /** Executes the blocks up to a height. */
  catchUp(height = this.#chain.length): void {
    for (const { included, baseFee, accounts } of this.#chain.slice(this.height, height)) {
      for (const [sender, account] of accounts) Object.assign(this.pool.state.at(address(sender)), account)
      const changed = [...accounts.keys()].map(address)
      this.pool.pool.onHead({ ...testHead, baseFee }, { included, changed })
    }
    this.height = Math.max(this.height, height)
  }

  /** Whether it has a transaction of that sender with that nonce, or knows that the nonce is used. */
  covers({ sender, nonce }: Acknowledged): boolean {
    const { pool, state } = this.pool
    const has = (list: readonly PoolTransaction[]) => list.some((tx) => tx.transaction.nonce === nonce)
    const of = address(sender)
    return nonce < state.at(of).nonce || has(pool.pendingOf(of)) || has(pool.queuedOf(of))
  }
}

/** Nodes with real pools and journals, and a chain that any of them continues. */
export class PoolNetwork {
  readonly nodes: readonly PoolNode[]
  readonly #chain: Block[] = []
  readonly acknowledged: Acknowledged[] = []
  /** The transactions that were ever made for a nonce of a sender. */
  readonly #made = new Map<string, Set<string>>()
  readonly #removed = new Set<string>()

  constructor(folder: string, settings: readonly Partial<PoolSettings>[], isParking: boolean) {
    this.nodes = settings.map(
      (own, index) => new PoolNode(join(folder, `${index}`), this.#chain, own, isParking),
    )
  }

  #node(index: number): PoolNode {
    return this.nodes[index % this.nodes.length] as PoolNode // the rest is below the length
  }

  /** Sends transfers at once to a node. */
  async send(index: number, transfers: readonly Transfer[]): Promise<void> {
    await Promise.all(transfers.map((transfer) => this.#sendOne(index, transfer)))
  }

  async #sendOne(index: number, { sender, ahead, feeCap, tip, value }: Transfer): Promise<void> {
    const { pool } = this.#node(index)
    const nonce = pool.state.at(address(sender)).nonce + BigInt(ahead)
    const fees = [Math.max(feeCap, tip), tip] as const
    const raw = statedTransfer(sender, Number(nonce), ...fees, { value: BigInt(value) * coin })
    const { transaction, rejection } = await pool.submit(raw, true, true)
    // A client takes that for an acknowledgement, and it is one unless no more may be parked.
    const tx = rejection?.kind === 'alreadyKnown' ? pool.pool.get(keccak256(raw)) : transaction
    const hash = tx?.hash
    if (hash === undefined || (rejection !== undefined && !tx?.isLocal)) return
    const node = index % this.nodes.length
    this.acknowledged.push({ node, sender, nonce, hash })
    const slot = slotOf({ sender, nonce })
    this.#node(index).gaveUp.delete(slot)
    this.#made.set(slot, (this.#made.get(slot) ?? new Set()).add(toHex(hash)))
  }

  /** Gives one of the pending transactions of a node to another one. */
  async gossip(from: number, to: number, pick: number): Promise<void> {
    const tx = this.#pendingAt(from, pick)
    if (tx !== undefined) await this.#node(to).pool.submit(tx.raw, false, true)
  }

  #pendingAt(index: number, pick: number): PoolTransaction | undefined {
    const pending = [...this.#node(index).pool.pool.content().pending.values()].flat()
    return pending[pick % pending.length]
  }

  /** Kills a node and starts it again; it hears of some pending transactions of the next one at once. */
  async restart(index: number, settings: Partial<PoolSettings>, picks: readonly number[]): Promise<void> {
    const heard = picks.flatMap((pick) => this.#pendingAt(index + 1, pick)?.raw ?? [])
    await this.#node(index).restart(settings, heard)
  }

  /** Has the journal of a node fail after some more writes. */
  limitWrites(index: number, count: number): void {
    this.#node(index).writesLeft = count
  }

  /** A rollback that reverts no block. */
  reset(index: number): void {
    const { pool, submitter } = this.#node(index).pool
    submitter.forgetIncluded()
    pool.reset(pool.head, [])
  }

  catchUp(index: number): void {
    this.#node(index).catchUp()
  }

  /** The owner of a node takes a transaction out. */
  remove(index: number, pick: number): void {
    const { pool } = this.#node(index).pool
    const all = [...pool.transactions()]
    const tx = all[pick % all.length]
    if (tx === undefined) return
    this.#removed.add(slotOf({ sender: senderNumber(tx), nonce: tx.transaction.nonce }))
    pool.remove(tx.hash)
  }

  /** Has a node make the next block; returns how many transactions are in it. */
  propose(index: number, { count, baseFee, balances }: BlockPlan): number {
    const proposer = this.#node(index)
    proposer.catchUp()
    const { pool, state } = proposer.pool
    const accounts = new Map<number, Account>()
    const included: Uint8Array[] = []
    const { baseFee: price, blobBaseFee, gasLimit } = pool.head
    const limits = { baseFee: price, blobBaseFee, minTip: 0n, gasLimit, maxBytes: 1_000_000, maxBlobs: 0 }
    for (const tx of pool.select(limits)) {
      if (included.length === count) break
      const sender = senderNumber(tx)
      const { nonce, balance } = accounts.get(sender) ?? state.at(address(sender))
      accounts.set(sender, { nonce: nonce + 1n, balance: balance - tx.cost })
      included.push(tx.hash)
    }
    for (const [sender, coins] of balances) {
      const { nonce } = accounts.get(sender) ?? state.at(address(sender))
      accounts.set(sender, { nonce, balance: BigInt(coins) * coin })
    }
    this.#chain.push({ included, baseFee: BigInt(baseFee) * gwei, accounts })
    proposer.catchUp()
    return included.length
  }

  /** Has the nodes make blocks in turn until none of them has anything for one. */
  settle(balances: BlockPlan['balances']): void {
    this.propose(0, { count: 0, baseFee: 1, balances })
    for (let idle = 0, turn = 0; idle < this.nodes.length; turn++)
      idle = this.propose(turn, { count: 3, baseFee: 1, balances: [] }) > 0 ? 0 : idle + 1
    for (const node of this.nodes) node.catchUp()
  }

  /** What a node acknowledged and does not know any more, though its nonce is unused and nothing is in its place. */
  lost(): readonly string[] {
    return this.acknowledged.flatMap((one) => {
      const { node, hash } = one
      const slot = slotOf(one)
      const holder = this.#node(node)
      if (this.#removed.has(slot) || holder.gaveUp.has(slot)) return []
      const isKnown = holder.pool.pool.get(hash) !== undefined
      const isReplaced = !isKnown && holder.covers(one) && (this.#made.get(slot)?.size ?? 0) > 1
      const isUsed = one.nonce < holder.pool.state.at(address(one.sender)).nonce
      return isKnown || isReplaced || isUsed ? [] : [`node ${node} lost ${slot}`]
    })
  }

  /** The senders whose next nonce a node acknowledged, after all had what they need to execute it. */
  stuck(): readonly string[] {
    const { state } = this.#node(0).pool
    const isNext = ({ sender, nonce }: Acknowledged) => nonce === state.at(address(sender)).nonce
    return this.acknowledged
      .filter(
        (one) =>
          isNext(one) && !this.#removed.has(slotOf(one)) && !this.#node(one.node).gaveUp.has(slotOf(one)),
      )
      .map((one) => `${slotOf(one)} of node ${one.node} is not executed`)
  }

  close(): void {
    for (const { pool } of this.nodes) pool.journal.close()
  }
}
