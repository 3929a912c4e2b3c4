// What takes changes back. An entry is its payload and then a word with its kind and the record's address, so that it is
// read backwards.
import { A_SAVED, A_SAVED_LENGTH, A_TOUCHED, A_WARM, CHAIN_HEADER, S_VALUE, S_WARM, T_VALUE } from '../layout'
import { chainEnd, link, shorten, unlink } from '../heap'
import { copy } from '../words/u256'
import { epoch } from './state'

/** The end of the journal, in its top block. */
export let journalTop: usize = 0
export let journalBlock: usize = 0
let journalEnd: usize = 0
// An entry is its payload and then a word with its kind and the record's address, so that it is read backwards.
export const J_ACCOUNT: u32 = 0
export const J_WARM: u32 = 1
export const J_VALUE: u32 = 2
export const J_SLOT_WARM: u32 = 3
export const J_TRANSIENT: u32 = 4
// Blocks begin with the end of the entries in the one below.
const JOURNAL_HEADER: usize = CHAIN_HEADER + 8

/** The lowest block, which stays. */
@inline
export function beginJournal(): void {
  journalBlock = link(0, 0)
}

function growJournal(): usize {
  const block = link(journalBlock, 0)
  if (block == 0) return 0
  store<u32>(block, <u32>journalTop, CHAIN_HEADER)
  journalBlock = block
  journalEnd = chainEnd(block)
  return block + JOURNAL_HEADER
}

export function forgetJournal(): void {
  journalBlock = shorten(journalBlock)
  journalEnd = chainEnd(journalBlock)
  journalTop = journalBlock + JOURNAL_HEADER
}

@inline
export function journal(kind: u32, record: usize, payload: usize, length: usize): void {
  let at = journalTop
  if (at + length + 8 > journalEnd) {
    at = growJournal()
    if (at == 0) return
  }
  memory.copy(at, payload, length)
  store<u32>(at + length, kind)
  store<u32>(at + length + 4, <u32>record)
  journalTop = at + length + 8
}

export function revertTo(mark: usize): void {
  let at = journalTop
  while (at != mark) {
    if (at == journalBlock + JOURNAL_HEADER) {
      at = <usize>load<u32>(journalBlock, CHAIN_HEADER)
      journalBlock = unlink(journalBlock)
      journalEnd = chainEnd(journalBlock)
      continue
    }
    const kind = load<u32>(at - 8)
    const record = <usize>load<u32>(at - 4)
    at -= 8
    if (kind == J_VALUE) {
      at -= 32
      copy(record + S_VALUE, at)
    } else if (kind == J_WARM) {
      at -= 4
      store<u32>(record, load<u32>(at), A_WARM)
    } else if (kind == J_SLOT_WARM) {
      at -= 4
      store<u32>(record, load<u32>(at), S_WARM)
    } else if (kind == J_TRANSIENT) {
      at -= 32
      copy(record + T_VALUE, at)
    } else {
      at -= A_SAVED_LENGTH
      // The touch of the RIPEMD-160 precompile outlives its frame's failure: mainnet block 2,675,119.
      const keep = load<u32>(record, A_TOUCHED) == epoch && isRipemd(record)
      // Warmth has its own entries.
      const warm = load<u32>(record, A_WARM)
      memory.copy(record + A_SAVED, at, A_SAVED_LENGTH)
      store<u32>(record, warm, A_WARM)
      if (keep) store<u32>(record, epoch, A_TOUCHED)
    }
  }
  journalTop = mark
}

/** Takes everything back since the transaction began. */
export function revertAll(): void {
  let lowest = journalBlock
  while (load<u32>(lowest) != 0) lowest = <usize>load<u32>(lowest)
  revertTo(lowest + JOURNAL_HEADER)
}

@inline
function isRipemd(p: usize): bool {
  return load<u64>(p) == 3 && load<u64>(p, 8) == 0 && load<u32>(p, 16) == 0
}
