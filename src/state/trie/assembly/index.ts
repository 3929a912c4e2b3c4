// The work over the bytes of trie nodes: the encoding and the hash of a branch, and the difference of two rows. The caller
// writes into this memory and tells how much.
import { hash as keccak, KECCAK_STATE } from '../../../base/crypto/assembly/keccak'

/** 16 references of 32 bytes, and then their 16 lengths. */
export const referencesAt: usize = memory.data(528, 16)
export const digestAt: usize = KECCAK_STATE
/** Where the caller's memory begins. */
export const area: usize = (__heap_base + 15) & ~15

const LENGTHS: usize = 512
/** Differences with fewer equal bytes between them are one. */
const MIN_GAP: u32 = 6

/** Hashes so many bytes of the area. */
export function hash(length: u32): void {
  keccak(area, length)
}

/** Encodes the branch over the references, without a value, in the area and returns the length. */
export function encodeBranch(): u32 {
  let payload: u32 = 1
  for (let i: usize = 0; i < 16; i++) {
    const length = <u32>load<u8>(referencesAt + LENGTHS + i)
    payload += length == 32 ? 33 : length == 0 ? 1 : length
  }
  let at = area
  if (payload < 56) store<u8>(at++, <u8>(0xc0 + payload))
  else if (payload < 256) {
    store<u8>(at, 0xf8)
    store<u8>(at + 1, <u8>payload)
    at += 2
  } else {
    store<u8>(at, 0xf9)
    store<u8>(at + 1, <u8>(payload >> 8))
    store<u8>(at + 2, <u8>payload)
    at += 3
  }
  for (let i: usize = 0; i < 16; i++) {
    const length = <u32>load<u8>(referencesAt + LENGTHS + i)
    const from = referencesAt + 32 * i
    if (length == 32) {
      store<u8>(at, 0xa0)
      store<u64>(at + 1, load<u64>(from))
      store<u64>(at + 9, load<u64>(from + 8))
      store<u64>(at + 17, load<u64>(from + 16))
      store<u64>(at + 25, load<u64>(from + 24))
      at += 33
    } else if (length == 0) store<u8>(at++, 0x80)
    else {
      for (let j: usize = 0; j < <usize>length; j++) store<u8>(at + j, load<u8>(from + j))
      at += length
    }
  }
  store<u8>(at, 0x80)
  return <u32>(at - area) + 1
}

function writeNumber(at: usize, value: u32): usize {
  let to = at
  let rest = value
  for (; rest > 0x7f; rest >>= 7) store<u8>(to++, <u8>((rest & 0x7f) | 0x80))
  store<u8>(to, <u8>rest)
  return to + 1
}

/**
 * Writes the changed parts of a row that is as long as the later one, from `from` on, and returns how many bytes they are; `most`
 * if they are not fewer. The rows are in the area one after the other, and what is written stands behind them.
 */
export function writeChanges(length: u32, from: u32, most: u32): u32 {
  const before = area
  const after = area + length
  const out = after + length
  let to = out
  let done = from
  let at = from
  while (at < length) {
    if (at + 8 <= length && load<u64>(before + at) == load<u64>(after + at)) {
      at += 8
      continue
    }
    if (load<u8>(before + at) == load<u8>(after + at)) {
      at++
      continue
    }
    let last = at
    for (let i = at + 1; i < length && i - last <= MIN_GAP; i++)
      if (load<u8>(before + i) != load<u8>(after + i)) last = i
    const end = last + 1
    if (<u32>(to - out) + 6 + end - at >= most) return most
    to = writeNumber(to, at - done)
    to = writeNumber(to, end - at)
    to = writeNumber(to, end - at)
    for (; at < end; at++) store<u8>(to++, load<u8>(before + at))
    done = end
  }
  return <u32>(to - out)
}
