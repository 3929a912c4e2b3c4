import type { LogPattern } from '../../chain/port/logs.ts'
import type { ChainMeta } from '../tables/chainMeta.ts'
import type { NativeTables } from '../tables/chainTables.ts'
import { asBuffer, encodeNumberKey } from '../tables/rowKeys.ts'
import { AppearanceIndex } from './appearances.ts'
import { type Candidate, findCandidates } from './logCandidates.ts'
import { type PostingListUpdate, PostingTable } from './postingTable.ts'

/** The index entries of the transactions that only the Cosmos view shows, in positions among themselves. */
export interface NativeIndexEntries {
  readonly logLists: readonly PostingListUpdate[]
  readonly appearances: readonly PostingListUpdate[]
}

/** The keys of the lists in which a block has entries. */
interface ListKeys {
  readonly logs: readonly Uint8Array[]
  readonly appearances: readonly Uint8Array[]
}

const keyLength = 8

/** number of keys of log lists (4 bytes, little-endian) ‖ these keys ‖ those of lists of appearances */
const encodeKeys = ({ logLists, appearances }: NativeIndexEntries): Uint8Array => {
  const count = Buffer.alloc(4)
  count.writeUInt32LE(logLists.length)
  return Buffer.concat([count, ...logLists.map(({ key }) => key), ...appearances.map(({ key }) => key)])
}

const decodeKeys = (row: Uint8Array): ListKeys => {
  const keys: Uint8Array[] = []
  for (let at = 4; at < row.length; at += keyLength) keys.push(row.slice(at, at + keyLength))
  const count = asBuffer(row).readUInt32LE(0)
  return { logs: keys.slice(0, count), appearances: keys.slice(count) }
}

/**
 * The logs and appearances of Cosmos transactions. They have tables of their own, so that no search of Ethereum's logs
 * or transactions can find them.
 */
export class NativeIndexReader {
  /** Finds the Cosmos transactions in which an address has a part; indexes count Cosmos transactions alone. */
  readonly appearances: AppearanceIndex
  protected readonly logLists: PostingTable
  protected readonly appearanceLists: PostingTable
  protected readonly tables: NativeTables
  protected readonly meta: ChainMeta

  constructor(tables: NativeTables, meta: ChainMeta) {
    this.tables = tables
    this.meta = meta
    this.logLists = new PostingTable(tables.logLists)
    this.appearanceLists = new PostingTable(tables.appearances)
    this.appearances = new AppearanceIndex(this.appearanceLists, meta, () => meta.nativeAppearancesFrom())
  }

  /** Returns the first block from which on the logs of all blocks are indexed; undefined if none are. */
  logsFrom(): number | undefined {
    return this.meta.nativeLogsFrom()
  }

  /** Returns the pages of Cosmos transactions that can have logs of the pattern, and progress reports without runs. */
  candidates(pattern: LogPattern, from: number, to: number): Generator<Candidate> {
    return findCandidates(this.logLists, pattern, from, to)
  }

  /** Returns the keys of the lists that have entries of a block. */
  keys(number: number): ListKeys {
    const row = this.tables.lists.get(encodeNumberKey(number))
    return row ? decodeKeys(row) : { logs: [], appearances: [] }
  }
}

/** Writes the index; to be used inside a transaction, together with the block. */
export class NativeIndex extends NativeIndexReader {
  /** Adds the entries of a block; undefined if they are not known, so that the index must begin after it. */
  put(number: number, entries: NativeIndexEntries | undefined, keepsAppearances: boolean): void {
    this.#cover(number, entries !== undefined, keepsAppearances)
    if (entries === undefined) return
    const { logLists } = entries
    const appearances = keepsAppearances ? entries.appearances : []
    if (logLists.length + appearances.length === 0) return
    for (const update of logLists) this.logLists.append(update)
    for (const update of appearances) this.appearanceLists.append(update)
    this.tables.lists.put(encodeNumberKey(number), encodeKeys({ logLists, appearances }))
  }

  /** Removes the entries of the blocks from `from` up to and including `head`. */
  removeFrom(from: number, head: number): void {
    const keys = this.#takeKeys(from, head + 1)
    for (const key of keys.logs) this.logLists.removeAbove(key, from - 1)
    for (const key of keys.appearances) this.appearanceLists.removeAbove(key, from - 1)
    const logs = this.meta.nativeLogsFrom()
    if (logs !== undefined && logs > from) this.meta.setNativeLogsFrom(from)
    const appearances = this.meta.nativeAppearancesFrom()
    if (appearances !== undefined && appearances > from) this.meta.setNativeAppearancesFrom(from)
  }

  /** Removes the entries of the blocks from `oldest` on that are below `end`. */
  removeBelow(oldest: number, end: number): void {
    const keys = this.#takeKeys(oldest, end)
    for (const key of keys.logs) this.logLists.removeBelow(key, end)
    for (const key of keys.appearances) this.appearanceLists.removeBelow(key, end)
  }

  /** Removes the rows of keys of the blocks from `from` on that are below `end`, and returns each of the keys once. */
  #takeKeys(from: number, end: number): ListKeys {
    const logs = new Map<string, Uint8Array>()
    const appearances = new Map<string, Uint8Array>()
    const name = (key: Uint8Array): string => asBuffer(key).toString('latin1')
    for (let number = from; number < end; number++) {
      const keys = this.keys(number)
      for (const key of keys.logs) logs.set(name(key), key)
      for (const key of keys.appearances) appearances.set(name(key), key)
      if (keys.logs.length + keys.appearances.length > 0) this.tables.lists.remove(encodeNumberKey(number))
    }
    return { logs: [...logs.values()], appearances: [...appearances.values()] }
  }

  #cover(number: number, hasEntries: boolean, keepsAppearances: boolean): void {
    const { meta } = this
    const logs = meta.nativeLogsFrom()
    if (hasEntries !== (logs !== undefined)) meta.setNativeLogsFrom(hasEntries ? number : undefined)
    const hasAppearances = hasEntries && keepsAppearances
    const appearances = meta.nativeAppearancesFrom()
    if (hasAppearances !== (appearances !== undefined))
      meta.setNativeAppearancesFrom(hasAppearances ? number : undefined)
  }
}
