// How the interpreter leaves a frame in the middle of its work: for a pause, for the stream of its code, or for the code
// as it is.
import { C_BYTES, C_LENGTH, F_CODE, F_DECODED, F_GAS, F_IP, F_MEMSIZE, F_SP, F_STACK, STATIC_GAS } from '../layout'
import * as O from '../opcodes'
import { BLOCK_PC, endsBlock } from '../code/decode'
import { interrupted } from '../state/state'
import { memSize, missed, putGas, refill } from '../gas'
import { frame } from '../frames/frames'

/**
 * The frame was left in the middle of its work. The engine compiles this function again with optimisation while it runs,
 * but a run that is under way stays in the first version: so it is left and entered anew from time to time.
 */
export let paused: bool = false

/** The frame goes on in the other way. */
export let changed: bool = false

export function leave(ip: usize, sp: usize, gas: i64): void {
  store<u32>(frame, <u32>ip, F_IP)
  store<u32>(frame, <u32>sp, F_SP)
  store<i64>(frame, putGas(gas), F_GAS)
  store<u32>(frame, memSize, F_MEMSIZE)
}

/** The frame goes on from here after a pause. */
@inline
export function pause(ip: usize, sp: usize, gas: i64): void {
  leave(ip, sp, gas)
  paused = true
}

/** The frame goes on with the stream of its code, from this instruction of it on. */
@inline
export function enterStream(ip: usize, sp: usize, gas: i64): void {
  leave(ip, sp, gas)
  store<u32>(frame, 1, F_DECODED)
  changed = true
}

@inline
export function setChanged(value: bool): void {
  changed = value
}

@inline
export function setPaused(value: bool): void {
  paused = value
}

/** The frame goes on with its code as it is, from this byte on. */
function leaveStream(pc: u32, sp: usize, gas: i64): void {
  const code = <usize>load<u32>(frame, F_CODE)
  leave(<usize>load<u32>(code, C_BYTES) + <usize>pc, sp, gas)
  store<u32>(frame, 0, F_DECODED)
  changed = true
}

/**
 * A block may not begin with this stack, or has too little gas at hand: its instructions one by one, or a pause. False
 * when it is all over.
 */
export function stopAtBlock(ip: usize, sp: usize, gas: i64): bool {
  const cost = <i64>load<u32>(ip, 4)
  const height = <u32>sp - load<u32>(frame, F_STACK)
  if (gas < 0 && height - <u32>load<u16>(ip, 2) <= load<u32>(ip, 8)) {
    const more = refill(gas)
    if (interrupted != 0) return false
    if (more >= 0) {
      pause(ip, sp, more + cost)
      return true
    }
  }
  leaveStream(load<u32>(ip, BLOCK_PC), sp, gas + cost)
  return true
}

/** What a block has charged for the instructions from `pc` on. */
function prepaid(pc: u32): i64 {
  const code = <usize>load<u32>(frame, F_CODE)
  const bytes = <usize>load<u32>(code, C_BYTES)
  const length = load<u32>(code, C_LENGTH)
  let sum: i64 = 0
  for (let first = true; pc < length; first = false) {
    const op = <i32>load<u8>(bytes + pc)
    const gas = load<u16>(STATIC_GAS + <usize>op * 4)
    if (gas == 0xffff || (op == O.JUMPDEST && !first)) break
    sum += <i64>gas
    if (endsBlock(op)) break
    pc += op >= O.PUSH1 && op <= O.PUSH32 ? <u32>(op - O.PUSH1 + 2) : 1
  }
  return sum
}

/**
 * The gas does not suffice for an instruction in the middle of a block, which has charged for those behind it: the frame
 * goes on with its code as it is from there. False for an instruction that ends its block: it fails.
 */
export function leaveBlock(ip: usize, sp: usize, gas: i64): bool {
  const op = <i32>load<u16>(ip)
  if (interrupted != 0 || endsBlock(op)) return false
  const pc = op == O.MLOADIMM || op == O.MSTOREIMM ? <u32>load<u16>(ip, 2) : load<u32>(ip, 4)
  leaveStream(pc, sp, gas + missed + prepaid(pc))
  return true
}
