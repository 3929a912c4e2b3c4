// Instructions that are told to the host the first time that an account runs them with the same word: a tracer of what a
// transaction touches learns nothing from the second time. What was told is remembered where its word puts it; what comes
// there later takes its place, and the first is told again. That costs a call to the host and changes nothing.
import { F_SELF, TOLD, TOLD_SIZE } from '../layout'
import { frame } from '../frames/frames'
import { copy, equal } from '../words/u256'

/** An entry: the word, the account's record (0 if there is none), the instruction. */
const E_SELF: usize = 32
const E_OP: usize = 36
const E_SIZE: usize = 64

@inline
function placeOf(word: usize, op: i32): usize {
  const x = load<u64>(word) ^ rotl(load<u64>(word, 8), 21) ^ rotl(load<u64>(word, 16), 43) ^ <u64>op
  const h = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15
  return TOLD + <usize>((h >> 32) % (TOLD_SIZE / E_SIZE)) * E_SIZE
}

/** Whether the running account's instruction was told with this word. If not it is from now on. */
export function wasTold(op: i32, word: usize): bool {
  const self = load<u32>(frame, F_SELF)
  const entry = placeOf(word, op)
  if (load<u32>(entry, E_SELF) == self && load<u32>(entry, E_OP) == <u32>op && equal(entry, word)) return true
  copy(entry, word)
  store<u32>(entry, self, E_SELF)
  store<u32>(entry, <u32>op, E_OP)
  return false
}
