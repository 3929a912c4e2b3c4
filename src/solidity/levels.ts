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
  /** The levels that return to a place, by their positions. */
  const returning = new Map<number, number[]>()
  const leave = (count: number): void => {
    for (const { from } of levels.splice(count)) returning.get(from + 1)?.pop()
  }
  for (let at = 0; at + 1 < jumps.length; at += 2) {
    const from = jumps[at] as number
    const to = jumps[at + 1] as number
    const kind = program.jumpAt(from)
    if (kind === 'i') {
      const positions = returning.get(from + 1) ?? []
      returning.set(from + 1, positions)
      positions.push(levels.push({ from, to }) - 1)
    }
    // The function that a function calls last may return for both.
    if (kind === 'o') leave(returning.get(to)?.at(-1) ?? Math.max(0, levels.length - 1))
  }
  return levels
}
