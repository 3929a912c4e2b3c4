// Gas that depends on operands, and the memory of the running frame.
import {
  ARENA_SLACK, BERLIN, CONSTANTINOPLE, ISTANBUL, LONDON, MEMORY_LIMIT, PETERSBURG, S_ORIGINAL, S_VALUE,
} from './layout'
import { ensureMemory } from './heap'
import { hostTick } from './host'
import { addRefund, fork, interrupt, interrupted } from './state/state'
import { warmSlot } from './state/slots'
import { equal, isSmall, isZero } from './words/u256'

/** More than anybody has: executions begin with less. Nothing may be added to it. */
export const ENDLESS: i64 = i64.MAX_VALUE
/** The host is asked to go on after so much gas. */
const SLICE: i64 = 500_000
export let memBase: usize = 0
export let memSize: u32 = 0
/** Gas of the running frame beyond the part that the interpreter holds. */
export let reserve: i64 = 0
let tickLeft: i64 = SLICE
let taken: i64 = 0

export function setMemory(base: usize, size: u32): void {
  memBase = base
  memSize = size
}

export function resetTicks(): void {
  tickLeft = SLICE
}

/** The part of a frame's gas that it may use before the host is asked. */
export function takeGas(total: i64): i64 {
  const local = min(total, max(tickLeft, 0))
  taken = local
  reserve = total - local
  return local
}

/** All gas of the frame, given what the interpreter holds. */
export function putGas(local: i64): i64 {
  tickLeft -= taken - local
  taken = local
  const total = local + reserve
  reserve = 0
  return total
}

export function spendElsewhere(gas: i64): void {
  tickLeft -= gas
}

/** Called with a debt: the gas after paying it from the reserve, negative when that is not enough. */
export function refill(gas: i64): i64 {
  const debt = -gas
  if (reserve < debt) return gas
  if (interrupted != 0) return -1
  const reason = hostTick()
  if (reason != 0) {
    interrupt(reason)
    return -1
  }
  tickLeft = SLICE
  const more = min(reserve, debt + SLICE)
  reserve -= more
  taken = gas + more
  return taken
}

/** For tracers: the last cost that depended on operands. */
export let asked: i64 = 0
/** The last cost that the gas of the interpreter did not cover. */
export let missed: i64 = 0

export function setAsked(cost: i64): void {
  asked = cost
}

@inline
export function charge(gas: i64, cost: i64): i64 {
  if (TRACED) asked = cost
  const left = gas - cost
  if (left >= 0) return left
  missed = cost
  return refill(left)
}

/** The end of a stretch of memory; 0 when it is empty, u64.MAX when no gas pays for it. */
@inline
export function memEnd(offset: usize, length: usize): u64 {
  if (isZero(length)) return 0
  if (!isSmall(offset) || !isSmall(length)) return u64.MAX_VALUE
  const a = load<u64>(offset)
  const b = load<u64>(length)
  if (a > 0x1fffffffe0 || b > 0x1fffffffe0) return u64.MAX_VALUE
  return a + b > 0x1fffffffe0 ? u64.MAX_VALUE : a + b
}

@inline
function memTotal(words: u64): u64 {
  return words * 3 + (words * words) / 512
}

export function memCost(end: u64): i64 {
  if (end <= <u64>memSize) return 0
  if (end > 0x1fffffffe0) return ENDLESS
  return <i64>(memTotal((end + 31) >> 5) - memTotal(<u64>memSize >> 5))
}

export function resize(end: u64): bool {
  if (end <= <u64>memSize) return true
  const size = (end + 31) & ~31
  if (!ensureMemory(<u64>memBase + size + <u64>ARENA_SLACK)) {
    interrupt(MEMORY_LIMIT)
    return false
  }
  memory.fill(memBase + memSize, 0, <usize>size - memSize)
  memSize = <u32>size
  return true
}

/** Words of a length that memory was paid for. */
@inline
export function words(length: u64): i64 {
  return <i64>((length + 31) >> 5)
}

/** A copy's gas: nothing pays for more than the memory could hold. */
@inline
export function wordGas(length: usize, each: i64): i64 {
  if (!isSmall(length) || load<u64>(length) > 0x1fffffffe0) return ENDLESS
  return words(load<u64>(length)) * each
}

/** SSTORE's gas, with its effect on the refund. ENDLESS when the stipend rule of EIP-2200 forbids it. */
export function storeCost(slot: usize, value: usize, left: i64): i64 {
  const current = slot + S_VALUE
  const original = slot + S_ORIGINAL
  if (fork < CONSTANTINOPLE || fork == PETERSBURG) {
    if (isZero(current)) return isZero(value) ? 5000 : 20000
    if (isZero(value)) addRefund(15000)
    return 5000
  }
  let read: i64 = 200
  let reset: i64 = 5000
  let cost: i64 = 0
  if (fork >= ISTANBUL) {
    if (left <= 2300) return ENDLESS
    read = 800
  }
  if (fork >= BERLIN) {
    read = 100
    reset = 2900
    if (warmSlot(slot)) cost = 2100
  }
  const cleared: i64 = fork >= LONDON ? 4800 : 15000
  if (equal(current, value)) return cost + read
  if (equal(original, current)) {
    if (isZero(original)) return cost + 20000
    if (isZero(value)) addRefund(cleared)
    return cost + reset
  }
  if (!isZero(original)) {
    if (isZero(current)) addRefund(-cleared)
    else if (isZero(value)) addRefund(cleared)
  }
  if (equal(original, value)) {
    addRefund(isZero(original) ? 20000 - read : reset - read)
  }
  return cost + read
}
