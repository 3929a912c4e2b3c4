import type { RangeOptions, Transaction } from 'lmdb'

/** A range of lmdb-js; it is read from its options whenever it is iterated. */
interface Range {
  iterate: () => unknown
}

/** The two functions of lmdb-js that all others read by. */
interface Reads {
  getBinaryFast: (key: Uint8Array, options?: object) => Uint8Array | undefined
  getRange: (options?: RangeOptions) => Range
}

/**
 * Has every read of a file's tables see one transaction for a while. By itself lmdb-js renews the transaction of reads in each
 * turn of the event loop.
 */
export class HeldReads {
  #held: { readonly transaction: Transaction } | undefined

  /** Reads see the transaction that is begun until the returned function is called. */
  hold(begin: () => Transaction): () => void {
    if (this.#held !== undefined) throw new Error('the reads are held already')
    const transaction = begin()
    const held = { transaction }
    this.#held = held
    return () => {
      if (this.#held !== held) return
      this.#held = undefined
      transaction.done()
    }
  }

  /** Has the reads of a table see the transaction that is held. The transaction of the reader comes first. */
  attach(table: object): void {
    // In lmdb-js but not in its types: all reads go through these two, and a range can be iterated again.
    const reads = table as Reads
    const { getBinaryFast, getRange } = reads
    reads.getBinaryFast = (key, options) =>
      getBinaryFast.call(table, key, this.#held === undefined ? options : (options ?? this.#held))
    reads.getRange = (options = {}) => {
      const range = getRange.call(table, options)
      const { iterate } = range
      range.iterate = () =>
        this.#held === undefined || options.transaction !== undefined
          ? iterate()
          : getRange.call(table, { ...options, ...this.#held }).iterate()
      return range
    }
  }
}
