import type { Table } from './lmdb.ts'

const rowsOfPart = 4096

/**
 * Writes so many rows of a table, in a transaction; where they are more than a part, in transactions within it. A transaction inserts
 * each page that it changes into a sorted list, which takes longer the longer the list is; the list of a part is merged as a whole.
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
    // It ends before this call returns, because it is within a transaction.
    void table.childTransaction(() => writeRows(start, Math.min(start + rowsOfPart, count)))
}
