// Code by hash. It runs as it is until it has run so much that decoding it costs little beside; then it has a stream.
// Streams go when there are too many of them, and code when there is too much: whatever runs then runs as it is, so
// that the work for a unit of gas is bounded however often that happens.
import {
  A_CODE, A_CODEHASH, C_BYTES, C_DELEGATE, C_DELEGATED, C_FRESH, C_HASH, C_HEAT, C_JUMPS, C_LENGTH, C_LIVE, C_MAP,
  C_MAPPED, C_SIZE, C_STREAM, C_STREAM_SIZE, F_CODE, F_DECODED, F_IP, FRAME_SIZE, FRAMES, MEMORY_LIMIT,
} from '../layout'
import { BLOCK_PC, decode, moveStream, streamBound } from './decode'
import { arena, blockSize, ensureMemory, give, secure, take } from '../heap'
import { hostCode, hostKeep } from '../host'
import { frame } from '../frames/frames'
import { memBase, memSize } from '../gas'
import { EMPTY_HASH, forgetCode } from '../state/accounts'
import { giveTable, hashBytes, takeTable } from '../state/tables'
import { interrupt } from '../state/state'
import { equal } from '../words/u256'
import { fromAddressBytes } from '../words/bytes'

/** Zeros behind the code stand for what a PUSH lacks at its end. */
const PADDING: usize = 64
/** What all streams may take. */
const STREAM_LIMIT: usize = 64 << 20
/** What all code may take in the middle of an execution, and what is kept for the next. */
const CODE_LIMIT: usize = 512 << 20
const KEPT_LIMIT: usize = 32 << 20
/** Longer code, which only init code of old forks can be, is never decoded. */
const LONGEST: u32 = 1 << 17
let index: usize = 0
let mask: u32 = 0
let count: u32 = 0
let codeBytes: usize = 0
let streamBytes: usize = 0
/** Decoded when the heat reaches the length times this: to decode a byte takes as long as to run one to two jumps. */
let patience: u32 = 4
/** For tests: how many bytes of code were brought here, looked through for jumps, or decoded. */
export let codeWork: u64 = 0

/** For tests: 0 decodes everything at once. */
export function setPatience(factor: u32): void {
  patience = factor
}

/** Another fork: nothing that is known holds. */
export function clearCode(): void {
  if (index == 0) {
    mask = 1023
    index = takeTable(mask)
  }
  dropCode(false)
}

/** Another execution begins. */
export function trimCode(): void {
  if (codeBytes > KEPT_LIMIT) dropCode(false)
}

function slotOf(hash: usize): usize {
  let h = hashBytes(hash) & mask
  while (true) {
    const at = index + <usize>h * 4
    const p = <usize>load<u32>(at)
    if (p == 0 || equal(p + C_HASH, hash)) return at
    h = (h + 1) & mask
  }
}

function growIndex(): void {
  const old = index
  const oldMask = mask
  const table = takeTable(mask * 2 + 1)
  if (table == 0) return
  index = table
  mask = mask * 2 + 1
  for (let i: usize = 0; i <= <usize>oldMask; i++) {
    const p = load<u32>(old + i * 4)
    if (p != 0) store<u32>(slotOf(<usize>p + C_HASH), p)
  }
  giveTable(old, oldMask)
}

/** The code whose stream the running frame may be in the middle of. */
@inline
function running(): usize {
  return load<u32>(frame, F_DECODED) == 0 ? 0 : <usize>load<u32>(frame, F_CODE)
}

/** Frames below go on with the code as it is: they wait at the beginning of a block. */
function leaveStreams(except: usize): void {
  for (let f = FRAMES; f < frame; f += FRAME_SIZE) {
    const code = <usize>load<u32>(f, F_CODE)
    if (code == except || load<u32>(f, F_DECODED) == 0) continue
    store<u32>(f, 0, F_DECODED)
    store<u32>(f, load<u32>(code, C_BYTES) + load<u32>(<usize>load<u32>(f, F_IP), BLOCK_PC), F_IP)
  }
}

function dropStream(object: usize): void {
  if (load<u32>(object, C_STREAM) == 0) return
  const size = <usize>load<u32>(object, C_STREAM_SIZE)
  give(<usize>load<u32>(object, C_JUMPS), size)
  streamBytes -= blockSize(size)
  store<u32>(object, 0, C_STREAM)
  store<u32>(object, 0, C_HEAT)
}

function dropStreams(): void {
  const except = running()
  leaveStreams(except)
  for (let i: usize = 0; i <= <usize>mask; i++) {
    const p = <usize>load<u32>(index + i * 4)
    if (p != 0 && p != except) dropStream(p)
  }
  // Init code is in no index.
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) {
    const code = <usize>load<u32>(f, F_CODE)
    if (code != 0 && code != except) dropStream(code)
  }
}

function markLive(live: u32): void {
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) {
    const code = <usize>load<u32>(f, F_CODE)
    if (code != 0) store<u32>(code, live, C_LIVE)
  }
}

/** Drops all code that no frame runs. What the host does not have yet goes there when it can still be asked for. */
function dropCode(keepsFresh: bool): void {
  forgetCode()
  dropStreams()
  const old = index
  const table = takeTable(mask)
  if (table == 0) return
  index = table
  count = 0
  markLive(1)
  for (let i: usize = 0; i <= <usize>mask; i++) {
    const p = <usize>load<u32>(old + i * 4)
    if (p == 0) continue
    if (load<u32>(p, C_LIVE) != 0) {
      store<u32>(slotOf(p + C_HASH), <u32>p)
      count++
      continue
    }
    if (keepsFresh && load<u32>(p, C_FRESH) != 0) {
      hostKeep(p + C_HASH, <usize>load<u32>(p, C_BYTES), load<u32>(p, C_LENGTH))
    }
    dropOnce(p)
  }
  markLive(0)
  giveTable(old, mask)
}

@inline
function sizeOf(length: u32): usize {
  return C_SIZE + <usize>length + PADDING + (<usize>length >> 3) + 16
}

/** Room for code of so many bytes, as an object without hash; 0 when there is none. Its bytes are to be written. */
function reserve(length: u32): usize {
  if (length > 0x20000000) {
    interrupt(MEMORY_LIMIT)
    return 0
  }
  const size = sizeOf(length)
  if (codeBytes + blockSize(size) > CODE_LIMIT) dropCode(true)
  const object = take(size)
  if (object == 0) return 0
  codeBytes += blockSize(size)
  codeWork += <u64>length
  memory.fill(object, 0, C_SIZE)
  const bytes = object + C_SIZE
  memory.fill(bytes + length, 0, PADDING)
  store<u32>(object, length, C_LENGTH)
  store<u32>(object, <u32>bytes, C_BYTES)
  store<u32>(object, <u32>(bytes + <usize>length + PADDING), C_MAP)
  return object
}

/** The code came. */
function describe(object: usize): void {
  const bytes = object + C_SIZE
  if (load<u32>(object) == 23 && load<u8>(bytes) == 0xef && load<u8>(bytes, 1) == 1 && load<u8>(bytes, 2) == 0) {
    store<u32>(object, 1, C_DELEGATED)
    memory.copy(object + C_DELEGATE, bytes + 3, 20)
  }
}

function keep(object: usize, hash: usize): void {
  memory.copy(object + C_HASH, hash, 32)
  describe(object)
  store<u32>(slotOf(object + C_HASH), <u32>object)
  count++
  if (count * 2 > mask) growIndex()
}

/** An object with a copy of the code at `from`; 0 when there is no room. */
function copied(from: usize, length: u32): usize {
  // Taking room moves what lies in the arena.
  const offset = from - arena
  const moves = from >= arena
  const object = reserve(length)
  if (object != 0) memory.copy(object + C_SIZE, moves ? arena + offset : from, length)
  return object
}

/** Keeps code that was just deployed; 0 when there is no room. */
export function addCode(hash: usize, bytes: usize, length: u32): usize {
  const known = <usize>load<u32>(slotOf(hash))
  if (known != 0) return known
  const object = copied(bytes, length)
  if (object == 0) return 0
  keep(object, hash)
  store<u32>(object, 1, C_FRESH)
  return object
}

/** The object that the host fills. */
let coming: usize = 0

/** For the host: where the bytes of the code that it was asked for go; 0 when there is no room. */
export function reserveCode(length: u32): usize {
  coming = reserve(length)
  return coming == 0 ? 0 : coming + C_SIZE
}

/** The object of a hash other than that of no code; 0 when there is no room. */
export function codeByHash(hash: usize): usize {
  const known = <usize>load<u32>(slotOf(hash))
  if (known != 0) return known
  coming = 0
  hostCode(hash)
  if (coming == 0) {
    interrupt(MEMORY_LIMIT)
    return 0
  }
  keep(coming, hash)
  return coming
}

/** The code object of an account; 0 when it has no code. */
export function codeOf(account: usize): usize {
  const known = <usize>load<u32>(account, A_CODE)
  if (known != 0) return known
  const hash = account + A_CODEHASH
  if (equal(hash, EMPTY_HASH)) return 0
  const object = codeByHash(hash)
  store<u32>(account, <u32>object, A_CODE)
  return object
}

/** An object for init code, to be given back by `dropOnce`; 0 when there is no room. */
export function addOnce(bytes: usize, length: u32): usize {
  const object = copied(bytes, length)
  if (object != 0) describe(object)
  return object
}

/** Gives an object back that nobody else knows. */
export function dropOnce(object: usize): void {
  dropStream(object)
  const size = sizeOf(load<u32>(object, C_LENGTH))
  codeBytes -= blockSize(size)
  give(object, size)
}

/** EIP-7702: the account that the code points to, as a word. */
export function delegate(object: usize, word: usize): void {
  fromAddressBytes(object + C_DELEGATE, word)
}

/** Marks the data of pushes, one bit for a byte. */
function drawMap(object: usize): void {
  const bytes = <usize>load<u32>(object, C_BYTES)
  const map = <usize>load<u32>(object, C_MAP)
  const length = <usize>load<u32>(object, C_LENGTH)
  codeWork += <u64>length
  memory.fill(map, 0, (length >> 3) + 16)
  let pc: usize = 0
  while (pc < length) {
    const op = <u32>load<u8>(bytes + pc)
    pc++
    const size = op - 0x5f
    if (size > 32 || size == 0) continue
    // The bits of data beyond the end reach no further than the room behind the map.
    if (pc < length) {
      const at = map + (pc >> 3)
      store<u64>(at, load<u64>(at) | (((<u64>1 << <u64>size) - 1) << <u64>(pc & 7)))
    }
    pc += <usize>size
  }
  store<u32>(object, 1, C_MAPPED)
}

/** Whether code may jump there. */
@inline
export function isDestination(object: usize, target: u64): bool {
  if (target >= <u64>load<u32>(object, C_LENGTH)) return false
  const pc = <usize>target
  if (load<u8>(<usize>load<u32>(object, C_BYTES) + pc) != 0x5b) return false
  if (load<u32>(object, C_MAPPED) == 0) drawMap(object)
  return ((load<u8>(<usize>load<u32>(object, C_MAP) + (pc >> 3)) >> <u8>(pc & 7)) & 1) == 0
}

/** The code ran a little more; whether it has a stream now. */
@inline
export function heat(object: usize, more: u32): bool {
  if (TRACED) return false
  if (load<u32>(object, C_STREAM) != 0) return true
  const warmth = load<u32>(object, C_HEAT) + more
  store<u32>(object, warmth, C_HEAT)
  return <u64>warmth >= <u64>load<u32>(object, C_LENGTH) * <u64>patience && makeStream(object)
}

function makeStream(object: usize): bool {
  const length = load<u32>(object, C_LENGTH)
  store<u32>(object, 0, C_HEAT)
  if (length > LONGEST) return false
  if (streamBytes > STREAM_LIMIT) dropStreams()
  codeWork += <u64>length
  // Written above the memory of the running frame first, since nobody knows how long it gets.
  const bound = streamBound(length)
  if (!secure(bound)) return false
  const draft = (memBase + <usize>memSize + 63) & ~31
  if (!ensureMemory(<u64>draft + <u64>bound)) return false
  const size = decode(object, <usize>load<u32>(object, C_BYTES), length, draft) - draft
  const at = take(size)
  if (at == 0) return false
  memory.copy(at, draft, size)
  moveStream(object, at - draft, at + size, length)
  streamBytes += blockSize(size)
  store<u32>(object, <u32>size, C_STREAM_SIZE)
  return true
}
