import type { LmdbEnvironment, Table } from '../../base/lmdb/lmdb.ts'

/**
 * The layout of the tables below. The rule for changing it:
 *
 *   found               what opening does
 *   the same            nothing
 *   newer than this     rejects, in one line that names both: an older program would misread it
 *   older than this     rejects until a migration from it is listed here; a migration runs before anything is read,
 *                       in one transaction with the new number, and a store written by the old version is kept as a
 *                       fixture that its test opens
 *
 *   schema   program   what changed
 *   1        0.1.0     the first
 *   2        0.1.0     the indexes of logs and appearances
 *   3        0.1.0     the store may begin above block 0, with hashes that are not its headers', and has the tables of
 *                      `nativeTableNames`; a store of 2 has nothing that reads otherwise, and is used as it is
 *   4        0.1.0     the rows of `metaKeys` have a digest; an older store gets one with its next block
 *   5        0.1.0     the text of transactions, receipts and blocks is packed (see packing/); rows that were written before
 *                      are read as they are
 *   6        0.1.0     a gateway indexes the logs and appearances of Cosmos transactions; an older store does from its next
 *                      block on
 */
export const schema = 6

/** The schema from which on the rows of `metaKeys` have a digest. */
export const digestSchema = 4

/** The oldest schema that is used as it is. */
export const oldestSchema = 2

/**
 * Every table of the block store. Numbers are 6 bytes and indexes 4, both big-endian. A *page* holds 32 consecutive
 * entries of a block (see pages.ts), so that one entry of a large block costs a small read. A name that is dropped
 * stays in `retired` and is not used again.
 */
export const tableNames = {
  /** number → block hash ‖ RLP of the header */
  headers: 'chain.headers',
  /** number → lengths ‖ the block's JSON up to its transactions ‖ and after them (see frame.ts) */
  frames: 'chain.frames',
  /** number → the JSON of the transactions' hashes, comma-separated; none without transactions */
  hashes: 'chain.hashes',
  /** number ‖ page → JSON of transactions */
  transactions: 'chain.transactions',
  /** number ‖ page → JSON of receipts, and where their logs are */
  receipts: 'chain.receipts',
  /** number ‖ page → canonical bytes of transactions */
  raw: 'chain.raw',
  /** number → RLP of [ommers, withdrawals]; none where both are empty */
  extras: 'chain.extras',
  /** block hash → number */
  numbers: 'chain.numbers',
  /** transaction hash → number ‖ index */
  places: 'chain.places',
  /** sender ‖ nonce (8 bytes) → number ‖ index */
  nonces: 'chain.nonces',
  /** key of a list of logs → its postings (see index/block.ts, index/postingTable.ts) */
  logLists: 'chain.logLists',
  /** key of a list of transactions → its postings */
  appearances: 'chain.appearances',
  /** a name of `metaKeys` → its value */
  meta: 'chain.meta',
} as const

/**
 * The tables that a gateway keeps of the native chain beside its blocks. A native transaction is one of
 * CometBFT's, with any number of Ethereum transactions in it.
 */
export const nativeTableNames = {
  /** number → information about the native block, in the gateway's encoding */
  facts: 'native.facts',
  /** hash of a native transaction, and of a Cosmos one its synthetic hash → number ‖ its index in the native block */
  places: 'native.places',
  /** hash of a native block → number */
  numbers: 'native.numbers',
  /** number → keys of the lists below in which the block has entries (see index/nativeIndex.ts); none without entries */
  lists: 'native.lists',
  /** key of a list of logs of Cosmos transactions → its postings */
  logLists: 'native.logLists',
  /** key of a list of Cosmos transactions → its postings */
  appearances: 'native.appearances',
} as const

/** The names of tables of older schemas. */
export const retiredTables: readonly string[] = []

export const metaKeys = {
  /** 1 byte */
  schema: Buffer.from('schema'),
  /** the hash of block 0, or of the first stored block if that is not known */
  genesis: Buffer.from('genesis'),
  /** number of the first block whose header is stored; none: 0 */
  first: Buffer.from('first'),
  /** present if block hashes are not the hashes of the headers, on chains that hash something else */
  foreignHashes: Buffer.from('foreignHashes'),
  /** geth's config object as JSON */
  config: Buffer.from('config'),
  /** number ‖ hash of the newest block */
  head: Buffer.from('head'),
  /** number of the oldest block, beside block 0, whose body and receipts are kept */
  oldest: Buffer.from('oldest'),
  /**
   * number of the oldest header beside the first block's, in a chain that starts at a snapshot; none
   * otherwise
   */
  firstHeader: Buffer.from('firstHeader'),
  /** number of the first block from which on all blocks are in the appearance index; none if it is off */
  appearances: Buffer.from('appearances'),
  /** the position from which the engine continues after a restart */
  engine: Buffer.from('engine'),
  /** number of the first block that does not follow from its parent by Ethereum's rules alone; none otherwise */
  modified: Buffer.from('modified'),
  /** the settings of dev methods that outlive the process, as JSON; none if they were never used */
  dev: Buffer.from('dev'),
  /** the remote block that the chain was forked from, as JSON; none if it was not forked */
  fork: Buffer.from('fork'),
  /** number of the first block from which on the logs of all Cosmos transactions are indexed; none if they are not */
  nativeLogs: Buffer.from('nativeLogs'),
  /** number of the first block from which on the appearances in all Cosmos transactions are indexed; none if they are not */
  nativeAppearances: Buffer.from('nativeAppearances'),
  /** the hash of all other rows of this table, which no root covers; none in stores older than schema 4 */
  digest: Buffer.from('digest'),
}

/** The rows that came later than the digest, which covers each of them only where it is. */
export const laterMetaKeys: readonly Uint8Array[] = [
  metaKeys.modified,
  metaKeys.dev,
  metaKeys.fork,
  metaKeys.nativeLogs,
  metaKeys.nativeAppearances,
]

export type ChainTables = { readonly [Name in keyof typeof tableNames]: Table }

export type NativeTables = { readonly [Name in keyof typeof nativeTableNames]: Table }

/** The tables of native data that stores of every version have; those of its index came later. */
export type NativeRowTables = Pick<NativeTables, 'facts' | 'places' | 'numbers'>

export const openNativeRowTables = (environment: LmdbEnvironment): NativeRowTables => ({
  facts: environment.table(nativeTableNames.facts),
  places: environment.table(nativeTableNames.places),
  numbers: environment.table(nativeTableNames.numbers),
})

export const openNativeTables = (environment: LmdbEnvironment): NativeTables => ({
  ...openNativeRowTables(environment),
  lists: environment.table(nativeTableNames.lists),
  logLists: environment.table(nativeTableNames.logLists),
  appearances: environment.table(nativeTableNames.appearances),
})

export const openChainTables = (environment: LmdbEnvironment): ChainTables =>
  Object.fromEntries(
    Object.entries(tableNames).map(([name, table]) => [name, environment.table(table)]),
  ) as ChainTables // one table for each name, by construction
