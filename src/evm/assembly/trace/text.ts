// The text of an opcode log (one entry for each instruction, as geth writes it). It is written here because a call of
// the host for each instruction takes longer than everything else about it.
import { C_LENGTH, CREATING, F_CODE, F_FLAGS, F_STACK, FRAME_SIZE, FRAMES } from '../layout'
import { hostText } from '../host'
import { frame } from '../frames/frames'
import { take } from '../heap'
import { refund } from '../state/state'

/** What is written before the host gets it. One entry has at most a thousand words of the stack. */
const ROOM: usize = 1 << 18
/** For each instruction the length of its text, and the text between the position and the gas. */
const HEAD: usize = 64
const PAIRS: usize = 256 * HEAD
let heads: usize = 0
export let textStart: usize = 0
let top: usize = 0
let hasStack: bool = false

/** Begins a text; where the host has to write the heads of the instructions, or 0 when there is no room. */
export function reserveText(withStack: i32): usize {
  if (heads == 0) {
    const text = take(ROOM)
    const table = take(PAIRS + 512)
    if (text == 0 || table == 0) return 0
    for (let byte: u32 = 0; byte < 256; byte++) {
      store<u16>(table + PAIRS + <usize>byte * 2, <u16>(digit(byte >> 4) | (digit(byte & 15) << 8)))
    }
    textStart = text
    heads = table
  }
  top = textStart
  hasStack = withStack != 0
  return heads
}

/** How much text there is that the host did not get; it has it now. */
export function takeText(): u32 {
  const length = <u32>(top - textStart)
  top = textStart
  return length
}

@inline
function digit(value: u32): u32 {
  return value + (value > 9 ? 87 : 48)
}

function decimal(at: usize, value: u64): usize {
  if (value > 999999999) {
    at = decimal(at, value / 1000000000)
    let low = <u32>(value % 1000000000)
    for (let p = at + 8; p >= at; p--) {
      const next = low / 10
      store<u8>(p, <u8>(48 + low - next * 10))
      low = next
    }
    return at + 9
  }
  let rest = <u32>value
  let end = at + 1
  for (let bound: u32 = 10; bound <= rest && end < at + 9; bound *= 10) end++
  for (let p = end - 1; p >= at; p--) {
    const next = rest / 10
    store<u8>(p, <u8>(48 + rest - next * 10))
    rest = next
  }
  return end
}

/** A word in as few hex digits as it has. */
function quantity(at: usize, word: usize): usize {
  let limb: usize = 24
  while (limb != 0 && load<u64>(word + limb) == 0) limb -= 8
  const highest = load<u64>(word + limb)
  const pairs = heads + PAIRS
  for (let shift = (63 - <i64>clz<u64>(highest | 1)) & ~3; shift >= 0; shift -= 4) {
    store<u8>(at, <u8>digit(<u32>(highest >> <u64>shift) & 15))
    at++
  }
  while (limb != 0) {
    limb -= 8
    const value = load<u64>(word + limb)
    for (let shift: i64 = 56; shift >= 0; shift -= 8) {
      store<u16>(at, load<u16>(pairs + ((<usize>(value >> <u64>shift) & 255) << 1)))
      at += 2
    }
  }
  return at
}

export function writeStep(pc: u32, op: i32, gas: i64, cost: i64, sp: usize): void {
  // A creation without any code is stopped here, but geth does not begin it.
  if ((load<u32>(frame, F_FLAGS) & CREATING) != 0 && load<u32>(<usize>load<u32>(frame, F_CODE), C_LENGTH) == 0) return
  const stack = <usize>load<u32>(frame, F_STACK)
  if (top + 256 + (hasStack ? ((sp - stack) >> 5) * 70 : 0) > textStart + ROOM) {
    hostText(textStart, <u32>(top - textStart))
    top = textStart
  }
  let at = top
  store<u64>(at, 0x3a226370227b2c) // ,{"pc":
  at = decimal(at + 7, <u64>pc)
  const head = heads + <usize>op * HEAD
  const length = <usize>load<u8>(head)
  for (let i: usize = 0; i < length; i += 8) store<u64>(at + i, load<u64>(head + 1 + i))
  at = decimal(at + length, <u64>gas)
  store<u64>(at, 0x736f43736167222c) // ,"gasCost":
  store<u32>(at + 8, 0x3a2274)
  at = decimal(at + 11, <u64>cost)
  store<u64>(at, 0x226874706564222c) // ,"depth":
  store<u8>(at + 8, 0x3a)
  at = decimal(at + 9, <u64>((frame - FRAMES) / FRAME_SIZE) + 1)
  if (hasStack) {
    store<u64>(at, 0x226b63617473222c) // ,"stack":[
    store<u16>(at + 8, 0x5b3a)
    at += 10
    for (let p = stack; p < sp; p += 32) {
      if (p != stack) {
        store<u8>(at, 0x2c)
        at++
      }
      store<u32>(at, 0x783022) // "0x
      at = quantity(at + 3, p)
      store<u8>(at, 0x22)
      at++
    }
    store<u8>(at, 0x5d)
    at++
  }
  if (refund != 0) {
    store<u64>(at, 0x646e75666572222c) // ,"refund":
    store<u16>(at + 8, 0x3a22)
    at = decimal(at + 10, <u64>refund)
  }
  store<u8>(at, 0x7d)
  top = at + 1
}
