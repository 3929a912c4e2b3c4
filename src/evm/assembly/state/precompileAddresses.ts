// Which accounts are precompiles.
import { MOVED, PRECOMPILE_LIMIT, PRECOMPILES } from '../layout'

let movedCount: i32 = 0

export function setMovedCount(count: i32): void {
  movedCount = count
}

/** The number of a precompile that stands at an address of any size, or 0. */
function movedId(p: usize): i32 {
  for (let i = 0; i < movedCount; i++) {
    const at = MOVED + (<usize>i << 5)
    if (load<u64>(p) == load<u64>(at) && load<u64>(p, 8) == load<u64>(at, 8) && load<u32>(p, 16) == load<u32>(at, 16)) {
      return <i32>PRECOMPILE_LIMIT + i
    }
  }
  return 0
}

/** Marks in the table of small addresses: a precompile runs there; the fork has one there. */
const RUNS: u8 = 1
const WARM: u8 = 2

/** A small address with the mark of a precompile, or one that was moved; its number, or 0. */
@inline
export function precompileId(p: usize): i32 {
  const low = load<u64>(p)
  if (low >= PRECOMPILE_LIMIT || load<u64>(p, 8) != 0 || load<u32>(p, 16) != 0) return movedCount == 0 ? 0 : movedId(p)
  return (load<u8>(PRECOMPILES + <usize>low) & RUNS) != 0 ? <i32>low : 0
}

/** Where the fork has a precompile, even if it is overridden or moved away; where one is moved to does not count. */
@inline
export function isBornWarm(p: usize): bool {
  const low = load<u64>(p)
  if (low >= PRECOMPILE_LIMIT || load<u64>(p, 8) != 0 || load<u32>(p, 16) != 0) return false
  return (load<u8>(PRECOMPILES + <usize>low) & WARM) != 0
}
