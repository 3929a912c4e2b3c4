import { sha256 } from '../../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../../base/encoding/hex.ts'
import { TimeSlice } from '../../../base/threads/timeSlice.ts'
import type { TransactionLocation } from '../../../chain/port/location.ts'
import { decodeTransaction } from '../../../chain/transaction/decode.ts'
import { perihelionDialect } from '../../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../../cosmos/transaction/wrap.ts'
import type { BlockStoreReader } from '../../../store/blockStoreReader.ts'

interface NativeIndexDependencies {
  readonly blocks: Pick<BlockStoreReader, 'blockJson' | 'rawTransactions' | 'transactionCount'>
  readonly head: () => number
}

/** The number of transactions that are indexed. For older ones the engine's index is asked. */
const maxTransactions = 200_000

/**
 * An index of the native hashes of this chain's transactions, built on the first request. They can be computed from the
 * transactions, so storing them would slow down every block for a rare request.
 */
export class NativeHashIndex {
  readonly #dependencies: NativeIndexDependencies
  readonly #locations = new Map<string, TransactionLocation>()
  /** The range of indexed blocks, from `#first` to before `#next`. */
  #first: number | undefined
  #next = 0
  readonly #slice = new TimeSlice()
  #work: Promise<unknown> = Promise.resolve()

  constructor(dependencies: NativeIndexDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the location of the Ethereum transaction whose native form has this hash. */
  find(nativeHash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    const id = toHex(nativeHash)
    // Searches run one after the other, because two at a time would build the same part of the index twice.
    const search = this.#work.then(() => this.#search(id, signal))
    this.#work = search.catch(() => {})
    return search
  }

  async #search(id: string, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    const head = this.#dependencies.head()
    this.#first ??= head + 1
    if (this.#next === 0) this.#next = this.#first
    // After a rollback the index has outdated entries, which the caller detects.
    while (this.#next <= head) await this.#add(this.#next++, signal)
    while (!this.#locations.has(id) && this.#first > 1 && this.#locations.size < maxTransactions)
      await this.#add(--this.#first, signal)
    return this.#locations.get(id)
  }

  async #add(number: number, signal: AbortSignal): Promise<void> {
    const { blocks } = this.#dependencies
    if ((blocks.transactionCount(number) ?? 0) > 0) {
      const raws = blocks.rawTransactions(number) ?? []
      const text = blocks.blockJson(number, true)
      const { transactions } = JSON.parse(Buffer.from(text ?? '{"transactions":[]}').toString()) as {
        readonly transactions: readonly { readonly from: string }[]
      }
      for (const [index, raw] of raws.entries()) {
        const from = fromHex(transactions[index]?.from ?? '0x')
        const bytes = wrapTransaction({ transaction: decodeTransaction(raw), raw, from }, perihelionDialect)
        this.#locations.set(toHex(sha256(bytes)), { number, index })
      }
    }
    if (!this.#slice.isOver) return
    await this.#slice.next()
    signal.throwIfAborted()
  }
}
