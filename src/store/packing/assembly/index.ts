// Packing and unpacking of texts in one pass over their bytes; pack.ts says what the tokens are. The caller writes the
// dictionary, texts and bodies into this memory and tells where they are.

const DIGITS: u32 = 0x60
const MAX_DIGITS: u32 = 100
const MANY_DIGITS: u32 = 0xc4
const DIGITS_AT: u32 = 0xc5
const ZEROS: u32 = 0xc6
const LITERAL: u32 = 0xc7

const MIN_SHARED: u32 = 16
const NUMBER_BITS: u32 = 28

// What a digit is worth; 255 for other characters.
const worth: usize = memory.data(256)
// Where a fragment begins in the dictionary (4 bytes each), one more for the end of the last.
const starts: usize = memory.data(4 * 97)
// The fragments; behind them is room for a read of 16 bytes.
const dictionary: usize = memory.data(4096, 16)
// By hash: the number of a fragment plus 1 (1 byte).
const fragmentTable: usize = memory.data(512)
// By hash: where a value stands in the body, and how many digits it has (4 bytes each); no digits: none.
const valueTable: usize = memory.data(8 * 1024)

let fragments: u32 = 0
let body: usize = 0
let end: usize = 0

export { pageTextLength } from './entry'
export { receiptPage } from './receiptPage'
export { receiptsRoot, transactionsRoot } from './roots'
export { transactionPage } from './transactionPage'

/** Where the caller's memory begins. */
export const area: usize = (__heap_base + 15) & ~15
export const startsAt: usize = starts
export const dictionaryAt: usize = dictionary

/** Is called once, when the dictionary and its starts are written. */
export function prepare(count: u32): void {
  fragments = count
  memory.fill(worth, 255, 256)
  for (let i: u32 = 0; i < 10; i++) store<u8>(worth + 0x30 + i, <u8>i)
  for (let i: u32 = 0; i < 6; i++) store<u8>(worth + 0x61 + i, <u8>(10 + i))
  for (let id: u32 = 0; id < count; id++) {
    const start = load<u32>(starts + 4 * id)
    let slot = hashOf(dictionary + start, load<u32>(starts + 4 * id + 4) - start) & 511
    while (load<u8>(fragmentTable + slot) != 0) slot = (slot + 1) & 511
    store<u8>(fragmentTable + slot, <u8>(id + 1))
  }
}

@inline
function hashOf(at: usize, length: u32): u32 {
  let hash: u32 = 0x811c9dc5
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(at + i)) * 0x01000193
  return hash ^ (hash >> 15)
}

@inline
function isSame(a: usize, b: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) if (load<u8>(a + i) != load<u8>(b + i)) return false
  return true
}

/** Begins a body. */
export function begin(at: usize): void {
  body = at
  end = at
  memory.fill(valueTable, 0, 8 * 1024)
}

/** Returns the length of the body. */
export function length(): u32 {
  return <u32>(end - body)
}

export function addNumber(value: u32): void {
  let rest = value
  for (; rest > 0x7f; rest >>= 7) store<u8>(end++, <u8>((rest & 0x7f) | 0x80))
  store<u8>(end++, <u8>rest)
}

/** Adds a text as it is, and returns where it begins in the body. */
export function addLiteral(at: usize, length: u32): u32 {
  store<u8>(end++, <u8>LITERAL)
  addNumber(length)
  memory.copy(end, at, length)
  const start = end - body
  end += length
  return <u32>start
}

/** Adds a text. */
export function add(at: usize, length: u32): void {
  const last = at + length
  let from = at
  let p = at
  while (p + 2 < last) {
    if (load<u16>(p) != 0x7830 || load<u8>(worth + load<u8>(p + 2)) == 255) {
      p++
      continue
    }
    if (p > from) addText(from, <u32>(p - from))
    p += 2
    const first = p
    while (p < last && load<u8>(worth + load<u8>(p)) != 255) p++
    addDigits(first, <u32>(p - first))
    from = p
  }
  if (last > from) addText(from, <u32>(last - from))
}

function addText(at: usize, length: u32): void {
  let slot = hashOf(at, length) & 511
  let entry = <u32>load<u8>(fragmentTable + slot)
  while (entry != 0) {
    const start = load<u32>(starts + 4 * (entry - 1))
    if (load<u32>(starts + 4 * entry) - start == length && isSame(dictionary + start, at, length)) {
      store<u8>(end++, <u8>(entry - 1))
      return
    }
    slot = (slot + 1) & 511
    entry = <u32>load<u8>(fragmentTable + slot)
  }
  addLiteral(at, length)
}

function addDigits(at: usize, count: u32): void {
  if (count >= MIN_SHARED) {
    let zeros: u32 = 0
    while (zeros < count && load<u8>(at + zeros) == 0x30) zeros++
    if (zeros == count) return addZeros(count)
  }
  const token = end
  beginDigits(count)
  const start = end
  let p = at
  const last = at + count
  if (count & 1) store<u8>(end++, load<u8>(worth + load<u8>(p++)))
  for (; p < last; p += 2)
    store<u8>(end++, (load<u8>(worth + load<u8>(p)) << 4) | load<u8>(worth + load<u8>(p + 1)))
  if (count >= MIN_SHARED) share(token, start, count)
}

/** Adds so many digits, which are bytes; of an odd number the first byte has one. */
export function addValue(at: usize, count: u32): void {
  const size = <usize>((count + 1) >> 1)
  if (count >= MIN_SHARED) {
    let zeros: usize = 0
    while (zeros < size && load<u8>(at + zeros) == 0) zeros++
    if (zeros == size) return addZeros(count)
  }
  const token = end
  beginDigits(count)
  const start = end
  for (let i: usize = 0; i < size; i += 8) store<u64>(start + i, load<u64>(at + i))
  end += size
  if (count >= MIN_SHARED) share(token, start, count)
}

@inline
function addZeros(count: u32): void {
  store<u8>(end++, <u8>ZEROS)
  addNumber(count)
}

@inline
function beginDigits(count: u32): void {
  if (count <= MAX_DIGITS) store<u8>(end++, <u8>(DIGITS + count - 1))
  else {
    store<u8>(end++, <u8>MANY_DIGITS)
    addNumber(count)
  }
}

/** Takes digits back that the body has already, and says where, or remembers where these are. */
function share(token: usize, start: usize, count: u32): void {
  const hash = load<u64>(start) * 0x9e3779b97f4a7c15
  const entry = valueTable + ((<usize>(hash >> 54) & 1023) << 3)
  const known = load<u32>(entry)
  if (load<u32>(entry + 4) == count && isSame(body + known, start, (count + 1) >> 1)) {
    end = token
    store<u8>(end++, <u8>DIGITS_AT)
    addNumber(known)
    addNumber(count)
  } else {
    store<u32>(entry, <u32>(start - body))
    store<u32>(entry + 4, count)
  }
}

/** Adds the text of a fragment. */
export function addFragment(id: u32): void {
  store<u8>(end++, <u8>id)
}

/** Returns the length of a fragment. */
export function lengthOf(id: u32): u32 {
  return load<u32>(starts + 4 * id + 4) - load<u32>(starts + 4 * id)
}

let number: u32 = 0

/** Reads a number; 0 if it is none. */
function readNumber(from: usize): usize {
  let at = from
  number = 0
  for (let shift: u32 = 0; shift < NUMBER_BITS; shift += 7) {
    const byte = <u32>load<u8>(at++)
    number |= (byte & 0x7f) << shift
    if (byte < 0x80) return at
  }
  return 0
}

/** Returns the length that stands before a text; -1 if there is none. */
export function textLength(at: usize): i32 {
  return readNumber(at) == 0 ? -1 : <i32>number
}

/** Expands the text behind its length, which ends at `last`, and returns how long it is; -1 if it is none. */
export function unpackEntry(at: usize, last: usize, bodyAt: usize, out: usize, outEnd: usize): i32 {
  const start = readNumber(at)
  return start == 0 ? -1 : unpack(start, last, bodyAt, out, outEnd)
}

/**
 * Expands the entries of a body with commas between them; the end of each stands at `ends`. Returns the length of the text;
 * -1 if it is none.
 */
export function unpackAll(ends: usize, count: u32, bodyAt: usize, last: usize, out: usize, outEnd: usize): i32 {
  let to = out
  let from = bodyAt
  for (let i: u32 = 0; i < count; i++) {
    if (i > 0) store<u8>(to++, 0x2c)
    const next = bodyAt + load<u32>(ends + 4 * i)
    if (next < from || next > last) return -1
    const written = unpackEntry(from, next, bodyAt, to, outEnd)
    if (written < 0) return -1
    to += written
    from = next
  }
  return <i32>(to - out)
}

/**
 * Expands the tokens up to `last` and returns the length of the text; -1 if they are none, or the text is longer than there is
 * room. Up to 16 bytes behind the text are overwritten.
 */
export function unpack(from: usize, last: usize, bodyAt: usize, out: usize, outEnd: usize): i32 {
  let at = from
  let to = out
  while (at < last) {
    const token = <u32>load<u8>(at++)
    if (token < DIGITS) {
      if (token >= fragments) return -1
      let p = dictionary + load<u32>(starts + 4 * token)
      const size = dictionary + load<u32>(starts + 4 * token + 4) - p
      if (to + size > outEnd) return -1
      for (let i: usize = 0; i < size; i += 16) v128.store(to + i, v128.load(p + i))
      to += size
    } else if (token < MANY_DIGITS) {
      const count = token - DIGITS + 1
      if (to + count + 2 > outEnd) return -1
      to = writeDigits(at, count, to)
      at += (count + 1) >> 1
    } else if (token == LITERAL) {
      at = readNumber(at)
      if (at == 0 || at + number > last || to + number > outEnd) return -1
      memory.copy(to, at, number)
      at += number
      to += number
    } else if (token == DIGITS_AT) {
      at = readNumber(at)
      if (at == 0) return -1
      const p = bodyAt + number
      at = readNumber(at)
      if (at == 0 || p + ((number + 1) >> 1) > last || to + number + 2 > outEnd) return -1
      to = writeDigits(p, number, to)
    } else if (token == ZEROS) {
      at = readNumber(at)
      if (at == 0 || to + number + 2 > outEnd) return -1
      store<u16>(to, 0x7830)
      memory.fill(to + 2, 0x30, number)
      to += 2 + number
    } else if (token == MANY_DIGITS) {
      at = readNumber(at)
      if (at == 0 || at + ((number + 1) >> 1) > last || to + number + 2 > outEnd) return -1
      to = writeDigits(at, number, to)
      at += (number + 1) >> 1
    } else return -1
  }
  return at == last ? <i32>(to - out) : -1
}

function writeDigits(from: usize, count: u32, out: usize): usize {
  const digits = i8x16(48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 97, 98, 99, 100, 101, 102)
  const low = i8x16.splat(15)
  store<u16>(out, 0x7830)
  let to = out + 2
  let at = from
  if (count & 1) {
    const digit = load<u8>(at++) & 15
    store<u8>(to++, digit < 10 ? 48 + digit : 87 + digit)
  }
  const last = from + ((count + 1) >> 1)
  for (; at < last; at += 8, to += 16) {
    const bytes = v128.load_zero<u64>(at)
    const high = v128.shr<u8>(bytes, 4)
    const nibbles = v128.shuffle<u8>(
      high,
      v128.and(bytes, low),
      0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
    )
    v128.store(to, v128.swizzle(digits, nibbles))
  }
  return out + 2 + count
}
