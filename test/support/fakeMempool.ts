import { createHash } from 'node:crypto'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { toHex } from '../../src/base/encoding/hex.ts'
import type { TransactionLocation } from '../../src/chain/port/location.ts'
import { emptyCodeHash } from '../../src/chain/state/evmState.ts'
import { recoverSender } from '../../src/chain/transaction/signature.ts'
import { NativeQueryError } from '../../src/comet/data/nativeQuery.ts'
import {
  QueryAccountRequestSchema,
  QueryAccountResponseSchema,
} from '../../src/cosmos/gen/cosmos/evm/vm/v1/query_pb.ts'
import { decodeContents } from '../../src/cosmos/transaction/contents.ts'
import type { BroadcastResponse } from '../../src/gateway/sending/broadcastOutcome.ts'

export interface Account {
  nonce: bigint
  balance: bigint
}

interface MempoolTransaction {
  readonly key: string
  readonly id: string
  readonly bytes: Uint8Array
  readonly sender: string
  readonly nonce: bigint
  readonly feeCap: bigint
  readonly cost: bigint
}

/**
 * A node with the mempools that Cosmos EVM chains have, as recorded from a real one: `app` keeps nonce gaps, accepts
 * replacements and does not respond to invalid bytes; `flood` rejects gaps, replacements and wrong orders.
 */
export class FakeMempool {
  readonly kind: 'app' | 'flood'
  readonly accounts = new Map<string, Account>()
  /** The transactions in the order of their inclusion. */
  readonly included: string[] = []
  /** The hashes of the Ethereum transactions of every broadcast. */
  readonly sent: string[] = []
  height = 1
  /** Returns the milliseconds until the next response. */
  delay: () => number = () => 0
  isDown = false
  /** The number of next broadcasts that are accepted but get no response. */
  unansweredCount = 0
  /** How long rejected bytes are answered with `already seen`. */
  seenMs = 200
  answer: BroadcastResponse | undefined
  /** What every check says, as that of a node that has just started; the bytes are seen by it like others that it rejects. */
  refusal: string | undefined
  #waiting: MempoolTransaction[] = []
  readonly #seen = new Map<string, number>()
  readonly #states = new Map<number, ReadonlyMap<string, Account>>()
  readonly #locations = new Map<string, TransactionLocation>()
  readonly #bySender = new Map<string, TransactionLocation>()

  constructor(kind: 'app' | 'flood') {
    this.kind = kind
  }

  fund(address: string, balance: bigint): void {
    this.accounts.set(address.toLowerCase(), { nonce: 0n, balance })
    this.#keep()
  }

  #keep(): void {
    this.#states.set(this.height, new Map([...this.accounts].map(([id, account]) => [id, { ...account }])))
  }

  locate = (hash: Uint8Array): TransactionLocation | undefined => this.#locations.get(toHex(hash))

  locateBySender = (sender: Uint8Array, nonce: bigint): TransactionLocation | undefined =>
    this.#bySender.get(`${toHex(sender)} ${nonce}`)

  async query(path: string, request: Uint8Array, height: number | undefined): Promise<Uint8Array> {
    await pause(this.delay())
    if (this.isDown) throw new NativeQueryError('unavailable', 'connection refused')
    if (!path.endsWith('/Account')) throw new NativeQueryError('unknown path', path)
    const state = this.#states.get(height ?? this.height)
    if (state === undefined) throw new NativeQueryError('future height', `height ${height}`)
    return encodeAccount(state.get(fromBinary(QueryAccountRequestSchema, request).address))
  }

  async broadcast(bytes: Uint8Array, signal: AbortSignal): Promise<BroadcastResponse> {
    await pause(this.delay())
    if (this.isDown) throw new Error('connect ECONNREFUSED')
    const [message] = decodeContents(bytes)?.ethereum ?? []
    if (message === undefined) {
      if (this.kind === 'app') return untilAborted(signal)
      return { code: 2, codespace: 'sdk', log: 'expected 2 wire type, got 0: tx parse error: tx parse error' }
    }
    const check = () => this.receive(bytes)
    if (this.unansweredCount === 0) return check()
    this.unansweredCount--
    try {
      check()
    } catch {
      // The response does not say that it was seen before.
    }
    return untilAborted(signal)
  }

  /** Checks a transaction that can be decoded as the node does when one arrives. */
  receive(bytes: Uint8Array): BroadcastResponse {
    const [message] = decodeContents(bytes)?.ethereum ?? []
    if (message === undefined) throw new Error('the transaction cannot be decoded')
    const { transaction, hash } = message
    const feeCap =
      transaction.type === 0 || transaction.type === 1 ? transaction.gasPrice : transaction.maxFeePerGas
    const tx: MempoolTransaction = {
      key: createHash('sha256').update(bytes).digest('hex'),
      id: toHex(hash),
      bytes,
      sender: toHex(recoverSender(transaction, 'osaka') ?? new Uint8Array(20)),
      nonce: transaction.nonce,
      feeCap,
      cost: feeCap * transaction.gasLimit + transaction.value,
    }
    this.sent.push(tx.id)
    return this.answer ?? (this.kind === 'app' ? this.#checkApp(tx) : this.#checkFlood(tx))
  }

  async unconfirmedTxs(limit: number): Promise<readonly Uint8Array[]> {
    return this.kind === 'app' ? [] : this.#waiting.slice(0, limit).map(({ bytes }) => bytes)
  }

  /** Lets the time pass for which it remembers what it saw. */
  forgetSeen(): void {
    for (const [key, until] of this.#seen) if (Number.isFinite(until)) this.#seen.delete(key)
  }

  /** Clears the mempool as a restart of the node does. */
  forget(): void {
    this.#waiting = []
    this.#seen.clear()
  }

  /** Includes the executable transactions, those of each sender in order. */
  produceBlock(): void {
    this.height++
    let index = 0
    for (let isMoving = true; isMoving; ) {
      isMoving = false
      for (const tx of [...this.#waiting]) {
        const account = this.#at(tx.sender)
        if (account.nonce !== tx.nonce || account.balance < tx.cost) continue
        account.nonce++
        account.balance -= tx.cost
        this.included.push(tx.id)
        const location = { number: this.height, index: index++ }
        this.#locations.set(tx.id, location)
        this.#bySender.set(`${tx.sender} ${tx.nonce}`, location)
        isMoving = true
      }
    }
    this.#waiting = this.#waiting.filter(({ sender, nonce }) => nonce >= this.#at(sender).nonce)
    this.#keep()
  }

  #at(id: string): Account {
    const account = this.accounts.get(id) ?? { nonce: 0n, balance: 0n }
    this.accounts.set(id, account)
    return account
  }

  #reject(tx: MempoolTransaction, code: number, log: string): BroadcastResponse {
    if (this.kind === 'app') this.#seen.set(tx.key, performance.now() + this.seenMs)
    else this.#seen.delete(tx.key)
    return { code, codespace: code === 1 ? 'undefined' : 'sdk', log }
  }

  #see(tx: MempoolTransaction, text: string): void {
    if ((this.#seen.get(tx.key) ?? 0) > performance.now()) throw new Error(text)
    this.#seen.set(tx.key, Number.POSITIVE_INFINITY)
  }

  #checkApp(tx: MempoolTransaction): BroadcastResponse {
    this.#see(tx, 'tx already seen')
    if (this.refusal !== undefined) return this.#reject(tx, 1, this.refusal)
    const { nonce, balance } = this.#at(tx.sender)
    if (tx.nonce < nonce) return this.#reject(tx, 1, 'nonce too low')
    if (balance < tx.cost) return this.#reject(tx, 1, 'insufficient funds for gas * price + value')
    const old = this.#waiting.findIndex((other) => other.sender === tx.sender && other.nonce === tx.nonce)
    if (old >= 0) {
      if (tx.feeCap * 10n < (this.#waiting[old] as MempoolTransaction).feeCap * 11n)
        return this.#reject(tx, 1, 'replacement transaction underpriced')
      this.#waiting.splice(old, 1)
    }
    this.#waiting.push(tx)
    return accepted
  }

  #checkFlood(tx: MempoolTransaction): BroadcastResponse {
    this.#see(tx, 'tx already exists in cache')
    if (this.refusal !== undefined) return this.#reject(tx, 1, this.refusal)
    const { nonce, balance } = this.#at(tx.sender)
    const sameSender = this.#waiting.filter(({ sender }) => sender === tx.sender)
    const next = nonce + BigInt(sameSender.length)
    if (tx.nonce < next)
      return this.#reject(
        tx,
        1,
        `invalid nonce; got ${tx.nonce}, expected ${next}: tx nonce is lower than account nonce`,
      )
    if (tx.nonce > next)
      return this.#reject(
        tx,
        1,
        `tx nonce: ${tx.nonce}, account accountNonce: ${next}: tx nonce is higher than account nonce`,
      )
    const rest = sameSender.reduce((sum, { cost }) => sum - cost, balance)
    if (rest < tx.cost)
      return this.#reject(
        tx,
        5,
        `failed to check sender balance: sender balance < tx cost (${rest} < ${tx.cost}): insufficient funds`,
      )
    this.#waiting.push(tx)
    return accepted
  }
}

/** Encodes what a node says of an account; of one that it does not know that it has nothing. */
export const encodeAccount = ({ nonce, balance }: Account = { nonce: 0n, balance: 0n }): Uint8Array => {
  const codeHash = toHex(emptyCodeHash)
  const account = create(QueryAccountResponseSchema, { nonce, balance: balance.toString(), codeHash })
  return toBinary(QueryAccountResponseSchema, account)
}

const accepted: BroadcastResponse = { code: 0, codespace: '', log: '' }

const pause = (milliseconds: number): Promise<void> =>
  milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds))

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
