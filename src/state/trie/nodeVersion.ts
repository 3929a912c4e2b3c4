import { heightBytes } from '../rows/rows.ts'

/** What is stored before the row of a trie node: its version, and a skip for each size of windows (see nodeTable.ts). */

export const windows = [64, 4096] as const
export const skipAt = (level: number): number => heightBytes + level * heightBytes
/** The offset of the row in the stored value. */
export const nodeRowAt = heightBytes * (1 + windows.length)

export const windowStart = (version: number, level: 0 | 1): number => {
  const size = windows[level]
  return Math.floor((version - 1) / size) * size
}
