import { sha256 } from '../../base/crypto.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { TimeSlice } from '../../base/timeSlice.ts'
import type { TransactionLocation } from '../../chain/port/location.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { perihelionDialect } from '../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'
import type { BlockStoreReader } from '../../store/blockStoreReader.ts'

interface NativeIndexDependencies {
  readonly blocks: Pick<BlockStoreReader, 'blockJson' | 'rawTransactions' | 'transactionCount'>
  readonly head: () => number
}

/** How far back is looked, in transactions; what is older the engine may know. */
const maxTransactions = 200_000

/**
 * Native hashes of this chain's transactions, made when the first one is asked for: they follow from the transactions
 * themselves, so that keeping them would cost each block for the sake of a rare question.
 */
export class NativeHashIndex {
  readonly #dependencies: NativeIndexDependencies
  readonly #locations = new Map<string, TransactionLocation>()
  /** Blocks that are in the index: from the first up to, not including, the second. */
  #first: number | undefined
  #next = 0
  readonly #slice = new TimeSlice()
  #work: Promise<unknown> = Promise.resolve()

  constructor(dependencies: NativeIndexDependencies) {
    this.#dependencies = dependencies
  }

  /** Where the Ethereum transaction stands whose native form has this hash. */
  find(nativeHash: Uint8Array, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    const id = toHex(nativeHash)
    // One after the other: two that build the same part of it would do so twice.
    const search = this.#work.then(() => this.#search(id, signal))
    this.#work = search.catch(() => {})
    return search
  }

  async #search(id: string, signal: AbortSignal): Promise<TransactionLocation | undefined> {
    const head = this.#dependencies.head()
    this.#first ??= head + 1
    if (this.#next === 0) this.#next = this.#first
    // A head that moved back (a rollback) leaves entries that are found to be wrong by who looks there.
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
