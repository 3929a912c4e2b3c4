import type { Program } from './program.ts'

/** A call of a function inside of a contract, which is a jump. */
export interface Level {
  /** The jump into the function. */
  readonly from: number
  /** Where the function begins. */
  readonly to: number
}

/** Returns the functions that a frame is in after its jumps, the outermost first. */
export const levelsOf = (program: Program, jumps: readonly number[]): readonly Level[] => {
  const levels: Level[] = []
  for (let at = 0; at + 1 < jumps.length; at += 2) {
    const from = jumps[at] as number
    const to = jumps[at + 1] as number
    const kind = program.jumpAt(from)
    if (kind === 'i') levels.push({ from, to })
    // The function that a function calls last may return for both.
    if (kind === 'o') {
      const returned = levels.findLastIndex((level) => level.from + 1 === to)
      levels.length = returned < 0 ? Math.max(0, levels.length - 1) : returned
    }
  }
  return levels
}
