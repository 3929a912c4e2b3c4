import { toHex } from '../../base/encoding/hex.ts'
import { KeyedQueue } from '../../base/threads/keyedQueue.ts'
import type { RejectionKind } from '../../pool/admission/rejections.ts'
import type { AddResult } from '../../pool/types.ts'
import type { AccountOpinion, SenderAccount, SenderAccounts } from './senderAccounts.ts'

interface SecondOpinionsDependencies {
  readonly accounts: Pick<SenderAccounts, 'get' | 'heightOf' | 'replace' | 'readEach'>
  /** Returns the account that the pool checks a sender's transactions against; undefined if it has none of them. */
  readonly pooled: (sender: Uint8Array) => SenderAccount | undefined
  /** Has the pool check against an account from now on. */
  readonly onReplaced: (sender: Uint8Array, account: SenderAccount) => void
  /** Puts a node into quarantine, without a proof that it lied. */
  readonly quarantine: (node: string, reason: string) => void
}

/** Rejections of the pool that rest on what a node said of the sender's account. */
const kindsOfAccount: ReadonlySet<RejectionKind> = new Set([
  ...(['insufficientFunds', 'insufficientFundsForAll', 'insufficientFundsForBump'] as const),
  ...(['nonceTooLow', 'senderIsContract', 'gappedFromDelegated', 'delegatedInFlight'] as const),
])

export const isOfAccount = ({ rejection }: AddResult): boolean =>
  rejection !== undefined && kindsOfAccount.has(rejection.kind)

const maxRemembered = 10_000
const sendersAtOnce = 16

const areEqual = (one: SenderAccount, other: SenderAccount): boolean =>
  one.nonce === other.nonce && one.balance === other.balance && one.codeKind === other.codeKind

/** Equal accounts, and the nodes that told them. */
interface Opinion {
  readonly account: SenderAccount
  readonly nodes: readonly string[]
}

/** A transaction that was rejected, and what nodes say of its sender's account at a height. */
interface Attempt {
  readonly sender: Uint8Array
  readonly height: number
  readonly told: readonly Opinion[]
  readonly result: AddResult
  readonly submit: () => Promise<AddResult>
}

const isLower = (one: SenderAccount, other: SenderAccount): boolean =>
  one.nonce === other.nonce ? one.balance > other.balance : one.nonce < other.nonce

/** Returns the accounts that nodes told, those of most nodes first, of equally many those that cost the sender least. */
const groupOpinions = (told: readonly AccountOpinion[]): readonly Opinion[] => {
  const groups: Opinion[] = []
  for (const { node, account } of told) {
    const at = groups.findIndex((group) => areEqual(group.account, account))
    const known = groups[at]
    if (known === undefined) groups.push({ account, nodes: [node] })
    else groups[at] = { account, nodes: [...known.nodes, node] }
  }
  return groups.sort(
    (one, other) => other.nodes.length - one.nodes.length || (isLower(one.account, other.account) ? -1 : 1),
  )
}

/** How often nodes are asked for one transaction, if each time a new head comes while they are. */
const maxAttempts = 3

/**
 * Asks other nodes before a transaction is rejected for its sender's account, which one node told. Where one of them tells
 * another account the transaction is checked against that: if it passes, the mempools of the nodes decide.
 */
export class SecondOpinions {
  readonly #dependencies: SecondOpinionsDependencies
  /** What nodes were asked about the accounts of senders, and at which height. */
  readonly #asked = new Map<string, { readonly height: number; readonly told: Promise<readonly Opinion[]> }>()
  /** The account of a sender is replaced for one transaction after the other. */
  readonly #turns = new KeyedQueue({ name: 'second opinions' })

  constructor(dependencies: SecondOpinionsDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the result of a submission that was rejected for its sender's account, with what other nodes say of that. */
  async resubmit(
    sender: Uint8Array,
    refused: AddResult,
    submit: () => Promise<AddResult>,
  ): Promise<AddResult> {
    const { accounts } = this.#dependencies
    let result = refused
    for (let attempt = 0; attempt < maxAttempts && isOfAccount(result); attempt++) {
      const height = accounts.heightOf(sender)
      if (height === undefined) return result
      const told = await this.#ask(sender, height)
      result = await this.#turns.run(toHex(sender), () =>
        this.#tryEach({ sender, height, told, result, submit }),
      )
      if (accounts.heightOf(sender) === height) return result
    }
    return result
  }

  /** Submits against the account as it is known now, then against that of each opinion, until one lets it pass. */
  async #tryEach({ sender, height, told, result, submit }: Attempt): Promise<AddResult> {
    const { accounts, onReplaced, pooled } = this.#dependencies
    const isCurrent = (): boolean => accounts.heightOf(sender) === height
    const before = accounts.get(sender)
    // Nothing says otherwise: an earlier transaction may have had another account only if opinions differ.
    if (isCurrent() && told.every(({ account }) => areEqual(account, before))) return result
    let last = await submit()
    if (!isOfAccount(last)) return last
    const known = pooled(sender)
    let isReplaced = false
    try {
      for (const { account: other } of told) {
        // An account of another height is not replaced by one of this height.
        if (!isCurrent()) return last
        if (areEqual(other, before)) continue
        // What the pool has of a sender is not to be dropped for what one more node says.
        if (known !== undefined && (other.nonce !== known.nonce || other.balance <= known.balance)) continue
        const account = known === undefined ? other : { ...known, balance: other.balance }
        isReplaced = true
        accounts.replace(sender, account)
        onReplaced(sender, account)
        last = await submit()
        if (isOfAccount(last)) continue
        isReplaced = last.transaction === undefined
        return last
      }
      return last
    } finally {
      if (isReplaced && isCurrent()) {
        accounts.replace(sender, before)
        // The pool may have moved to a later head, where this account has not been read.
        if (known !== undefined && pooled(sender)?.nonce === known.nonce) onReplaced(sender, known)
      }
    }
  }

  /**
   * Has the accounts of senders as most nodes tell them, of equally many the one with the lowest nonce: for what was
   * acknowledged and would be dropped for what one node tells.
   */
  async settle(senders: readonly Uint8Array[]): Promise<void> {
    const { accounts } = this.#dependencies
    const settle = async (sender: Uint8Array): Promise<void> => {
      const height = accounts.heightOf(sender)
      if (height === undefined) return
      const [most] = await this.#read(sender, height)
      if (most !== undefined && accounts.heightOf(sender) === height) accounts.replace(sender, most.account)
    }
    for (let at = 0; at < senders.length; at += sendersAtOnce)
      await Promise.all(senders.slice(at, at + sendersAtOnce).map(settle))
  }

  /** Nodes are asked once about an account at a height, however many transactions it is rejected. */
  #ask(sender: Uint8Array, height: number): Promise<readonly Opinion[]> {
    const id = toHex(sender)
    const known = this.#asked.get(id)
    if (known?.height === height) return known.told
    const told = this.#read(sender, height)
    this.#asked.delete(id)
    this.#asked.set(id, { height, told })
    const [oldest] = this.#asked.keys()
    if (this.#asked.size > maxRemembered && oldest !== undefined) this.#asked.delete(oldest)
    return told
  }

  async #read(sender: Uint8Array, height: number): Promise<readonly Opinion[]> {
    const told = groupOpinions(await this.#dependencies.accounts.readEach(sender, height))
    this.#judge(told, height)
    return told
  }

  /** The state of a height is the same on every node: a node that two others contradict is wrong. A node that is behind says nothing. */
  #judge([most, ...others]: readonly Opinion[], height: number): void {
    const { quarantine } = this.#dependencies
    const odd = others.flatMap(({ nodes }) => nodes)
    if (most === undefined || most.nodes.length < 2 || most.nodes.length <= odd.length) return
    for (const node of odd)
      quarantine(node, `${most.nodes.length} nodes contradict its account in the state of height ${height}`)
  }
}
