import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Log } from '../../chain/block/receiptLog.ts'
import { pageIndex, pageSize } from '../packing/pages.ts'
import { addToRuns } from './postings.ts'
import type { PostingListUpdate } from './postingTable.ts'

/**
 * The index entries of a block. The key of a list is the beginning of a hash, so that keys are short and
 * spread evenly, and nobody can make them collide on purpose. Two values may still share a key, so that
 * readers of a list check the log itself.
 */
const kinds = { address: 0, topic: 1, anything: 5, appearance: 6, caller: 7, callee: 8 } as const

const keyBytes = 8

const keyOf = (kind: number, value: Uint8Array): Uint8Array => {
  const text = new Uint8Array(1 + value.length)
  text[0] = kind
  text.set(value, 1)
  return keccak256(text).slice(0, keyBytes)
}

/** Returns the key of the list of an address's logs. */
export const addressKey = (address: Uint8Array): Uint8Array => keyOf(kinds.address, address)

/** Returns the key of the list of the logs with a topic at a position. */
export const topicKey = (position: number, topic: Uint8Array): Uint8Array =>
  keyOf(kinds.topic + position, topic)

/** The key of the list of all logs. */
export const allLogsKey = keyOf(kinds.anything, new Uint8Array())

/** Returns the key of the list of an address's transactions. */
export const appearanceKey = (address: Uint8Array): Uint8Array => keyOf(kinds.appearance, address)

/** Returns the key of the list of the transactions in which an address calls, creates or is destroyed. */
export const callerKey = (address: Uint8Array): Uint8Array => keyOf(kinds.caller, address)

/** Returns the key of the list of the transactions in which an address is called, created or an heir. */
export const calleeKey = (address: Uint8Array): Uint8Array => keyOf(kinds.callee, address)

/** Collects the postings of one block by list, and hashes each value once. */
class PostingCollector {
  readonly #lists = new Map<string, { key: Uint8Array; postings: { page: number; runs: number[] }[] }>()

  add(kind: number, value: Uint8Array, page: number, entry: number): void {
    const { buffer, byteOffset, length } = value
    const name = String.fromCharCode(kind) + Buffer.from(buffer, byteOffset, length).toString('latin1')
    let list = this.#lists.get(name)
    if (list === undefined) {
      list = { key: keyOf(kind, value), postings: [] }
      this.#lists.set(name, list)
    }
    const last = list.postings.at(-1)
    if (last?.page === page) addToRuns(last.runs, entry)
    else list.postings.push({ page, runs: [entry, entry + 1] })
  }

  /**
   * Returns the updates in the order of the keys, so that neighbouring rows are written one after the other.
   */
  entries(number: number): PostingListUpdate[] {
    return [...this.#lists.values()]
      .map(({ key, postings }) => ({ key, postings: postings.map((posting) => ({ number, ...posting })) }))
      .sort((a, b) => Buffer.compare(a.key, b.key))
  }
}

const nothing = new Uint8Array()

/**
 * Returns the postings of a block's logs: one list for each address, for each topic at its position, and for
 * all logs.
 */
export const toLogPostings = (number: number, logs: readonly (readonly Log[])[]): PostingListUpdate[] => {
  const collector = new PostingCollector()
  let entry = 0
  for (const [index, ofTransaction] of logs.entries()) {
    const page = pageIndex(index)
    if (index % pageSize === 0) entry = 0
    for (const { address, topics } of ofTransaction) {
      collector.add(kinds.anything, nothing, page, entry)
      collector.add(kinds.address, address, page, entry)
      for (const [position, topic] of topics.entries())
        collector.add(kinds.topic + position, topic, page, entry)
      entry++
    }
  }
  return collector.entries(number)
}

/** The addresses that have a part in a transaction. */
export interface Participants {
  readonly sender: Uint8Array
  readonly to: Uint8Array | undefined
  /** The contract that the transaction creates. */
  readonly created: Uint8Array | undefined
  readonly logs: readonly Log[]
  /** Further addresses that a native transaction names. */
  readonly named?: readonly Uint8Array[]
}

/** Returns the postings of the addresses that appear in a block's transactions. */
export const toAppearancePostings = (
  number: number,
  transactions: readonly Participants[],
): PostingListUpdate[] => {
  const collector = new PostingCollector()
  for (const [index, { sender, to, created, logs, named = [] }] of transactions.entries()) {
    const add = (address: Uint8Array): void =>
      collector.add(kinds.appearance, address, pageIndex(index), index % pageSize)
    add(sender)
    if (to) add(to)
    if (created) add(created)
    for (const { address } of logs) add(address)
    for (const address of named) add(address)
  }
  return collector.entries(number)
}

/** The addresses at the two ends of a transaction's calls, each once. */
export interface CallEnds {
  readonly callers: Iterable<Uint8Array>
  readonly callees: Iterable<Uint8Array>
}

/** Returns the postings of the addresses in the calls of a block's transactions. */
export const toCallPostings = (number: number, transactions: readonly CallEnds[]): PostingListUpdate[] => {
  const collector = new PostingCollector()
  for (const [index, { callers, callees }] of transactions.entries()) {
    const [page, entry] = [pageIndex(index), index % pageSize]
    for (const address of callers) collector.add(kinds.caller, address, page, entry)
    for (const address of callees) collector.add(kinds.callee, address, page, entry)
  }
  return collector.entries(number)
}
