// What instructions read of the message, the block and code.
import { A_CODEHASH, BLOCK_HASHES, CTX_NUMBER, F_INPUT, F_INPUTLEN, IO_WORD, KNOWN_HASHES } from '../layout'
import { hostBlockHash } from '../host'
import { exists, isEmpty } from '../state/changes'
import { frame } from '../frames/frames'
import { fromBytes } from '../words/bytes'
import { isSmall, set } from '../words/u256'

export let blobCount: u32 = 0

export function setBlobCount(count: u32): void {
  blobCount = count
}

/** Bytes of `length` at `source`, from a word-sized offset, with zeros behind its end. */
export function copyPadded(to: usize, source: usize, length: u32, offset: usize, size: u32): void {
  if (!isSmall(offset) || load<u64>(offset) >= <u64>length) {
    memory.fill(to, 0, size)
    return
  }
  const from = <u32>load<u64>(offset)
  const part = min(size, length - from)
  memory.copy(to, source + from, part)
  memory.fill(to + part, 0, size - part)
}

export function loadInput(offset: usize, out: usize): void {
  const length = load<u32>(frame, F_INPUTLEN)
  if (!isSmall(offset) || load<u64>(offset) >= <u64>length) return set(out, 0)
  const from = <u32>load<u64>(offset)
  const at = <usize>load<u32>(frame, F_INPUT) + from
  if (length - from >= 32) return fromBytes(at, out)
  memory.fill(IO_WORD, 0, 32)
  memory.copy(IO_WORD, at, length - from)
  fromBytes(IO_WORD, out)
}

export function blockHash(number: usize, out: usize): void {
  const current = load<u64>(CTX_NUMBER)
  const asked = load<u64>(number)
  if (!isSmall(number) || asked >= current || current - asked > 256) return set(out, 0)
  const index = <usize>(asked & 255)
  const known = BLOCK_HASHES + index * 32
  if (load<u8>(KNOWN_HASHES + index) == 0) {
    hostBlockHash(asked, known)
    store<u8>(KNOWN_HASHES + index, 1)
  }
  fromBytes(known, out)
}

/** Another block is executed. */
export function forgetBlockHashes(): void {
  memory.fill(KNOWN_HASHES, 0, 256)
}

export function codeHash(p: usize, out: usize): void {
  // EIP-1052: zero where there is no account, which from Spurious Dragon on includes the empty one.
  if (!exists(p) || isEmpty(p)) set(out, 0)
  else fromBytes(p + A_CODEHASH, out)
}
