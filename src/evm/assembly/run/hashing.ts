// KECCAK256 of memory. Contracts hash pairs of words more than anything else: the key and the slot of a mapping, which
// tell where its value lies, and the same pairs again and again. So the hashes of pairs are remembered, each where its
// words put it: what comes there later takes its place.
import { hash, KECCAK_STATE } from '../../../base/crypto/assembly/keccak'
import { PAIRS } from '../layout'
import { copy, equal } from '../words/u256'
import { fromBytes } from '../words/bytes'

/** An entry: two words as they are in memory, their hash as a word, and whether it is there. */
const P_HASH: usize = 64
const P_KNOWN: usize = 96
const P_SIZE: usize = 128
/** The number of entries is two to the power of this. */
const PAIR_BITS: u64 = 11

/** Where a pair belongs. Who makes pairs that meet there has them hashed each time, as if there were no place. */
@inline
function placeOf(pair: usize): usize {
  const x = load<u64>(pair, 24) ^ rotl(load<u64>(pair, 16), 21) ^ rotl(load<u64>(pair, 8), 43) ^ rotl(load<u64>(pair, 56), 11)
  const h = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15
  return PAIRS + <usize>((h ^ (h << 29)) >> (64 - PAIR_BITS)) * P_SIZE
}

function hashPair(pair: usize, out: usize): void {
  const entry = placeOf(pair)
  if (load<u32>(entry, P_KNOWN) != 0 && equal(entry, pair) && equal(entry + 32, pair + 32)) return copy(out, entry + P_HASH)
  hash(pair, 64)
  fromBytes(KECCAK_STATE, out)
  copy(entry, pair)
  copy(entry + 32, pair + 32)
  copy(entry + P_HASH, out)
  store<u32>(entry, 1, P_KNOWN)
}

/** The hash of so many bytes, as a word. */
@inline
export function hashBytesToWord(from: usize, size: u32, out: usize): void {
  if (size == 64) return hashPair(from, out)
  hash(from, size)
  fromBytes(KECCAK_STATE, out)
}
