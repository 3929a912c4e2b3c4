import type { Table } from './lmdb.ts'

const rowsOfPart = 4096

/**
 * Writes `count` rows of a table; to be called inside a transaction. More rows than a part has are written in child transactions of
 * one part each: LMDB inserts each page that a transaction changes into a sorted list, which takes longer the longer the list is.
 * A child has a short list of its own, which is merged as a whole when the child ends. Large lists of rows must be in the order of
 * their keys: where memory for pages runs out, a child can write out only pages that no child before it wrote out.
 */
export const writeInParts = (table: Table, count: number, write: (index: number) => void): void => {
  const writeRows = (start: number, end: number): void => {
    for (let index = start; index < end; index++) write(index)
  }
  if (count <= rowsOfPart) {
    writeRows(0, count)
    return
  }
  for (let start = 0; start < count; start += rowsOfPart)
    // Inside a transaction it ends before this call returns.
    void table.childTransaction(() => writeRows(start, Math.min(start + rowsOfPart, count)))
}
