/** Returns a key as a text, by which a map finds it. */
export const rowKey = (key: Uint8Array): string =>
  Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')

/** Rows of one table by `rowKey`. */
export type RowMap = ReadonlyMap<string, Uint8Array>

/**
 * The state after a block whose commit is under way, as rows. The thread that writes reads them above those of the file, so
 * that it can execute the next block meanwhile; nobody else knows of them.
 */
export interface UnsyncedState {
  readonly height: number
  readonly root: Uint8Array
  readonly oldest: number
  /** The versions of the flat tables, in the order of `StateTables.versioned`. */
  readonly versions: readonly [RowMap, RowMap]
  /** The newest versions of trie nodes; one that is removed is empty. */
  readonly nodes: RowMap
  readonly code: RowMap
}

/** The unsynced rows of one table, and the height from which on they are seen. */
export interface UnsyncedRows {
  readonly height: number
  readonly rows: RowMap
}
