// Code by hash, with its stream once it has run. When the region is full, everything that no running frame uses goes;
// what does not fit even then is decoded above the frame's memory and dropped with it.
import {
  A_CODE, A_CODEHASH, C_BYTES, C_DELEGATE, C_DELEGATED, C_END, C_FRESH, C_HASH, C_JUMPS, C_LENGTH, C_SIZE,
  C_STREAM, C_STREAM_END, CODE, CODE_END, EXTENTS, F_CODE, FRAME_SIZE, FRAMES, GAPS, MEMORY_LIMIT,
} from './layout'
import { decode, streamBound } from './decode'
import { hostCode, hostKeep } from './host'
import { frame } from './frames'
import { EMPTY_HASH, forgetCode, interrupt } from './state'
import { equal, fromAddressBytes } from './u256'

const INDEX_SIZE: u32 = 65536
const FIRST: usize = CODE + <usize>INDEX_SIZE * 4
/** Zeros behind the code stand for what a PUSH lacks at its end. */
const PADDING: usize = 64

let top: usize = FIRST
let limit: usize = CODE_END
let count: u32 = 0
let gapCount: u32 = 0
let gapNext: u32 = 0
/** In use though no frame runs it yet. */
let held: usize = 0

export function clearCode(): void {
  memory.fill(CODE, 0, <usize>INDEX_SIZE * 4)
  top = FIRST
  limit = CODE_END
  count = 0
  gapCount = 0
  gapNext = 0
  forgetCode()
}

function slotOf(hash: usize): usize {
  let h = load<u32>(hash) & (INDEX_SIZE - 1)
  while (true) {
    const at = CODE + <usize>h * 4
    const p = <usize>load<u32>(at)
    if (p == 0 || equal(p + C_HASH, hash)) return at
    h = (h + 1) & (INDEX_SIZE - 1)
  }
}

// ---------- room ----------

/** A stretch of the region for so many bytes, without taking it; 0 when there is none. */
function find(size: u64): usize {
  while (<u64>top + size > <u64>limit) {
    if (gapNext == gapCount) return 0
    top = <usize>load<u32>(GAPS + <usize>gapNext * 8)
    limit = <usize>load<u32>(GAPS + <usize>gapNext * 8 + 4)
    gapNext++
  }
  return top
}

function findOrEvict(size: u64): usize {
  if (count * 2 < INDEX_SIZE) {
    const at = find(size)
    if (at != 0) return at
  }
  evict()
  return find(size)
}

let extents: u32 = 0

function addExtent(from: usize, to: usize): void {
  // Sorted by insertion: frames mostly hold their code in the order in which it came.
  let at = EXTENTS + <usize>extents * 8
  while (at > EXTENTS && load<u32>(at - 8) > <u32>from) {
    store<u64>(at, load<u64>(at - 8))
    at -= 8
  }
  store<u32>(at, <u32>from)
  store<u32>(at, <u32>to, 4)
  extents++
}

function pin(object: usize): void {
  if (object < FIRST || object >= CODE_END) return
  const at = slotOf(object + C_HASH)
  if (load<u32>(at) != 0) return
  store<u32>(at, <u32>object)
  count++
  addExtent(object, <usize>load<u32>(object, C_END))
  const jumps = <usize>load<u32>(object, C_JUMPS)
  if (load<u32>(object, C_STREAM) != 0) addExtent(jumps, <usize>load<u32>(object, C_STREAM_END))
}

function evict(): void {
  for (let at = CODE; at < FIRST; at += 4) {
    const p = <usize>load<u32>(at)
    if (p == 0 || load<u32>(p, C_FRESH) == 0) continue
    hostKeep(p + C_HASH, <usize>load<u32>(p, C_BYTES), load<u32>(p, C_LENGTH))
    store<u32>(p, 0, C_FRESH)
  }
  memory.fill(CODE, 0, <usize>INDEX_SIZE * 4)
  count = 0
  extents = 0
  forgetCode()
  if (held != 0) pin(held)
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) pin(<usize>load<u32>(f, F_CODE))
  gapCount = 0
  gapNext = 0
  top = FIRST
  limit = FIRST
  let from = FIRST
  for (let i: usize = 0; i <= <usize>extents; i++) {
    const to = i == <usize>extents ? CODE_END : <usize>load<u32>(EXTENTS + i * 8)
    if (to > from) {
      store<u32>(GAPS + <usize>gapCount * 8, <u32>from)
      store<u32>(GAPS + <usize>gapCount * 8 + 4, <u32>to)
      gapCount++
    }
    if (i < <usize>extents) from = <usize>load<u32>(EXTENTS + i * 8 + 4)
  }
}

// ---------- objects ----------

/** Fills in the object whose bytes lie behind it; the end of both. */
function describe(object: usize, length: u32): usize {
  const bytes = object + C_SIZE
  memory.fill(bytes + length, 0, PADDING)
  const end = (bytes + <usize>length + PADDING + 15) & ~15
  store<u32>(object, length, C_LENGTH)
  store<u32>(object, <u32>bytes, C_BYTES)
  store<u32>(object, 0, C_STREAM)
  store<u32>(object, 0, C_JUMPS)
  store<u32>(object, 0, C_DELEGATED)
  store<u32>(object, 0, C_FRESH)
  store<u32>(object, <u32>end, C_END)
  if (length == 23 && load<u8>(bytes) == 0xef && load<u8>(bytes, 1) == 1 && load<u8>(bytes, 2) == 0) {
    store<u32>(object, 1, C_DELEGATED)
    memory.copy(object + C_DELEGATE, bytes + 3, 20)
  }
  return end
}

@inline
function sizeOf(length: u32): u64 {
  return <u64>length + <u64>(C_SIZE + PADDING + 16)
}

/** Takes the room at `top`, where the code's bytes already lie. */
function keep(object: usize, hash: usize, length: u32): void {
  memory.copy(object + C_HASH, hash, 32)
  top = describe(object, length)
  store<u32>(slotOf(object + C_HASH), <u32>object)
  count++
}

/** Keeps code that was just deployed; 0 when there is no room. */
export function addCode(hash: usize, bytes: usize, length: u32): usize {
  const known = <usize>load<u32>(slotOf(hash))
  if (known != 0) return known
  const object = findOrEvict(sizeOf(length))
  if (object == 0) {
    interrupt(MEMORY_LIMIT)
    return 0
  }
  memory.copy(object + C_SIZE, bytes, length)
  keep(object, hash, length)
  store<u32>(object, 1, C_FRESH)
  return object
}

/** The object of a hash other than that of no code; 0 when there is no room. */
export function codeByHash(hash: usize): usize {
  const known = <usize>load<u32>(slotOf(hash))
  if (known != 0) return known
  let object = findOrEvict(32768)
  if (object == 0) {
    interrupt(MEMORY_LIMIT)
    return 0
  }
  const room = <u32>(limit - object - C_SIZE - PADDING - 16)
  let length = hostCode(hash, object + C_SIZE, room)
  if (length < 0) {
    object = findOrEvict(sizeOf(<u32>-length))
    if (object == 0) {
      interrupt(MEMORY_LIMIT)
      return 0
    }
    length = hostCode(hash, object + C_SIZE, <u32>-length)
  }
  keep(object, hash, <u32>length)
  return object
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

/** Makes the stream of a kept object on its first run; false when there is no room. */
export function prepare(object: usize): bool {
  if (load<u32>(object, C_STREAM) != 0) return true
  const length = load<u32>(object, C_LENGTH)
  held = object
  const at = findOrEvict(streamBound(length))
  held = 0
  if (at == 0) return false
  top = decode(object, <usize>load<u32>(object, C_BYTES), length, at)
  store<u32>(object, <u32>top, C_STREAM_END)
  return true
}

/** An object at `object` for the code at `bytes`, with its stream behind it, not kept. The end of it. */
export function decodeOnce(object: usize, bytes: usize, length: u32): usize {
  memory.copy(object + C_SIZE, bytes, length)
  return decode(object, object + C_SIZE, length, describe(object, length))
}

/** How much room that takes at most. */
export function onceBound(length: u32): u64 {
  return sizeOf(length) + streamBound(length)
}

/** EIP-7702: the account that the code points to, as a word. */
export function delegate(object: usize, word: usize): void {
  fromAddressBytes(object + C_DELEGATE, word)
}
