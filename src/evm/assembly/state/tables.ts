// Open-addressed tables of records, and the hashes by which records are found in them.
import { give, take } from '../heap'
import { account } from './accounts'

let seed: u64 = 0x9e3779b97f4a7c15
/** Odd, and known to nobody either. */
let factor: u64 = 0xc4ceb9fe1a85ec53

export function setSeed(value: u64): void {
  seed = value
  factor = rotl(value * 0x9e3779b97f4a7c15, 31) | 1
}

/** A table of so many entries, all empty; 0 when there is no room. */
export function takeTable(mask: u32): usize {
  const size = (<usize>mask + 1) * 4
  const table = take(size)
  if (table != 0) memory.fill(table, 0, size)
  return table
}

export function giveTable(table: usize, mask: u32): void {
  give(table, (<usize>mask + 1) * 4)
}

/**
 * Keys are chosen by whoever wants them to collide. A product moves differences up only, and one of the highest bit not
 * at all: so the upper half comes down and is multiplied once more, by a number that nobody knows.
 */
@inline
function mix(h: u64, x: u64): u64 {
  h = (h ^ x) * 0xff51afd7ed558ccd
  h = (h ^ (h >> 32)) * factor
  return h ^ (h >> 29)
}

@inline
export function hashAddress(a0: u64, a1: u64, a2: u32): u32 {
  return <u32>mix(mix(mix(seed, a0), a1), <u64>a2)
}

@inline
export function hashSlot(account: usize, key: usize): u32 {
  let h = mix(seed ^ <u64>account, load<u64>(key))
  h = mix(h, load<u64>(key, 8))
  h = mix(h, load<u64>(key, 16))
  return <u32>mix(h, load<u64>(key, 24))
}

/** Of 32 bytes. */
export function hashBytes(at: usize): u32 {
  return hashSlot(0, at)
}
