import type { Posting } from './postings.ts'
import type { PostingListUpdate } from './postingTable.ts'

/** Joins the postings of consecutive blocks by list, so that each list is written once for all of them. */
export class PostingLists {
  readonly #lists = new Map<string, { readonly key: Uint8Array; readonly postings: Posting[] }>()

  /** Adds the postings of the next block. */
  add(updates: readonly PostingListUpdate[]): void {
    for (const { key, postings } of updates) {
      const name = Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')
      const list = this.#lists.get(name)
      if (list === undefined) this.#lists.set(name, { key, postings: [...postings] })
      else list.postings.push(...postings)
    }
  }

  /** Returns the updates in the order of the keys, so that neighbouring rows are written one after the other. */
  updates(): readonly PostingListUpdate[] {
    return [...this.#lists.values()].sort((a, b) => Buffer.compare(a.key, b.key))
  }
}
