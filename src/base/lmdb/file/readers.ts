import type { RootDatabase } from 'lmdb'

/** A reader in the table of a data file. */
export interface OpenReader {
  readonly pid: number
  /** The transaction whose pages it holds; undefined if it reads nothing now. */
  readonly transaction: number | undefined
}

/** Returns who has a data file open to read, which LMDB tells as lines of text. */
export const listReaders = (root: RootDatabase): readonly OpenReader[] => {
  const text = (root as unknown as { readerList(): string }).readerList() // not in its types
  return Array.from(text.matchAll(/^\s*(\d+)\s+[0-9a-f]+\s+(\d+|-)$/gm), ([, pid, transaction]) => ({
    pid: Number(pid),
    transaction: transaction === '-' ? undefined : Number(transaction),
  }))
}
