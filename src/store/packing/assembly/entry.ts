// Adds the text of an entry, a transaction or a receipt, to a page.
import { addFragment, addLiteral, addNumber, addValue, begin, lengthOf } from './index'
import { BLOCK_HASH, BLOCK_NUMBER } from './records'
import { item, readItem, size } from './rlpItems'

const word: usize = memory.data(8)
const aside: usize = memory.data(64)

// Each entry is walked twice: first to count its length, which stands before it, then to write it.
export let isCounting: bool = false
let textLength: u32 = 0
let total: u32 = 0
// Where texts of logs are written to.
export let out: usize = 0

/** The length of the texts of the last page, without what is between them. */
export function pageTextLength(): u32 {
  return total
}

/** Begins a page whose entries start here. */
export function beginPage(at: usize): void {
  begin(at)
  total = 0
}

/** From here on, texts are only counted. */
export function beginCounting(): void {
  textLength = 0
  isCounting = true
}

/** Counts a text that is written where it stands. */
export function addTextLength(count: u32): void {
  textLength += count
}

/** Adds the length that was counted. From here on, texts are written. */
export function beginWriting(): void {
  isCounting = false
  total += textLength
  addNumber(textLength)
}

@inline
export function fragment(id: u32): void {
  if (isCounting) textLength += lengthOf(id)
  else addFragment(id)
}

@inline
function digits(at: usize, count: u32): void {
  if (isCounting) textLength += 2 + count
  else addValue(at, count)
}

@inline
export function bytes(at: usize, size: u32): void {
  digits(at, 2 * size)
}

/** Adds an integer of bytes without zeros before it; none are zero. */
export function quantity(at: usize, size: u32): void {
  if (size == 0) {
    store<u8>(word, 0)
    digits(word, 1)
  } else digits(at, 2 * size - u32(load<u8>(at) < 16))
}

/** Adds an integer of so many bytes, with zeros before it. */
export function padded(at: usize, size: u32): void {
  let from = at
  const last = at + size
  while (from < last && load<u8>(from) == 0) from++
  quantity(from, <u32>(last - from))
}

export function integer(value: u64): void {
  store<u64>(word, bswap<u64>(value))
  padded(word, 8)
}

/** Adds the next item as a quantity and returns where the one after it begins. */
export function quantityItem(at: usize): usize {
  const next = readItem(at)
  quantity(item, size)
  return next
}

export function blockMembers(block: usize): void {
  bytes(block + BLOCK_HASH, 32)
  fragment(1)
  integer(load<u64>(block + BLOCK_NUMBER))
}

/** Adds a text that is not one of the fragments. */
export function literal(text: string): void {
  const count = <u32>text.length
  if (isCounting) textLength += count
  else {
    out = aside
    put(text)
    addLiteral(aside, count)
  }
}

// Logs are stored as they are served, so their texts are written in full and not as values.

/** Sets where texts of logs are written. */
export function putAt(at: usize): void {
  out = at
}

export function put(text: string): void {
  const from = changetype<usize>(text)
  const count = <usize>text.length
  for (let i: usize = 0; i < count; i++) store<u8>(out + i, load<u8>(from + 2 * i))
  out += count
}

@inline
function putDigit(value: u32): void {
  store<u8>(out++, <u8>(value < 10 ? 48 + value : 87 + value))
}

export function putBytes(at: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const byte = <u32>load<u8>(at + i)
    putDigit(byte >> 4)
    putDigit(byte & 15)
  }
}

export function putInteger(value: u64): void {
  let shift = value == 0 ? 0 : (63 - <i32>clz<u64>(value)) & ~3
  for (; shift >= 0; shift -= 4) putDigit(<u32>(value >> shift) & 15)
}
