// From bytecode to the stream that the interpreter runs when code is hot: basic blocks that charge their fixed gas and
// check the stack once.
import { C_JUMPS, C_STREAM, STATIC_GAS } from '../layout'
import * as O from '../opcodes'
import { NEVER, UNDEFINED } from './fixedGas'
import { beginBlock, emit, emitOp, emitPush, out, setOut } from './emit'

/** Ends a block: control leaves, or the gas that is left is looked at. */
@inline
export function endsBlock(op: i32): bool {
  return (
    isTerminal(op) || op == O.JUMPI || op == O.GAS || op == O.SSTORE ||
    op == O.CALL || op == O.CALLCODE || op == O.DELEGATECALL || op == O.STATICCALL || op == O.CREATE || op == O.CREATE2
  )
}

@inline
function isTerminal(op: i32): bool {
  return op == O.STOP || op == O.JUMP || op == O.RETURN || op == O.REVERT || op == O.INVALID || op == O.SELFDESTRUCT
}

/** How much room the stream of so much code can take at most, jump table included. */
export function streamBound(length: u32): usize {
  return <usize>length * 32 + 256
}

/** Where a block tells at which byte of the code it begins. */
export const BLOCK_PC: usize = 12
let block: usize = 0
let height: i32 = 0
let lowest: i32 = 0
let highest: i32 = 0
let blockGas: u32 = 0

function openBlock(pc: u32): void {
  block = out
  store<u16>(out, O.BLOCK)
  store<u32>(out, pc, BLOCK_PC)
  beginBlock(out + 16)
  height = 0
  lowest = 0
  highest = 0
  blockGas = 0
}

function closeBlock(): void {
  const need = -lowest
  const span = 1024 - need - highest
  if (need > 1024 || span < 0) {
    // No stack satisfies it.
    store<u16>(block, <u16>NEVER, 2)
    store<u32>(block, 0, 8)
  } else {
    store<u16>(block, <u16>(need * 32), 2)
    store<u32>(block, <u32>(span * 32), 8)
  }
  store<u32>(block, blockGas, 4)
}

/** Writes jump table and stream of the code at `bytes` to `to`; the end of what was written. */
export function decode(object: usize, bytes: usize, length: u32, to: usize): usize {
  const jumps = to
  memory.fill(jumps, 0, <usize>length * 4)
  setOut((to + <usize>length * 4 + 15) & ~15)
  const stream = out
  let pc: u32 = 0
  let open = false
  let dead = false
  while (pc < length) {
    const op = <i32>load<u8>(bytes + pc)
    if (dead && op != O.JUMPDEST) {
      pc += op >= O.PUSH1 && op <= O.PUSH32 ? <u32>(op - O.PUSH1 + 2) : 1
      continue
    }
    dead = false
    if (open && op == O.JUMPDEST) {
      closeBlock()
      open = false
    }
    if (!open) {
      openBlock(pc)
      open = true
    }
    const at = STATIC_GAS + <usize>op * 4
    const gas = load<u16>(at)
    if (gas == UNDEFINED) {
      emit(O.INVALID, 0, 0)
      closeBlock()
      open = false
      dead = true
      pc++
      continue
    }
    const takes = <i32>load<u8>(at, 2)
    const gives = <i32>load<u8>(at, 3)
    blockGas += gas
    lowest = min(lowest, height - takes)
    height += gives - takes
    highest = max(highest, height)
    if (op == O.JUMPDEST) {
      store<u32>(jumps + <usize>pc * 4, <u32>block)
      pc++
      continue
    }
    if (op >= O.PUSH1 && op <= O.PUSH32) {
      const size = op - O.PUSH1 + 1
      emitPush(bytes + pc + 1, size)
      pc += <u32>size + 1
      continue
    }
    emitOp(op, pc)
    pc++
    if (endsBlock(op)) {
      closeBlock()
      open = false
      dead = isTerminal(op)
    }
  }
  if (!dead) {
    if (open) closeBlock()
    // What is behind a call begins a block, also at the end.
    openBlock(length)
    emit(O.STOP, 0, 0)
    closeBlock()
  }
  store<u32>(object, <u32>jumps, C_JUMPS)
  store<u32>(object, <u32>stream, C_STREAM)
  return out
}

/** The stream was copied elsewhere: sets the targets of its jumps. */
export function moveStream(object: usize, by: usize, end: usize, length: u32): void {
  const jumps = <usize>load<u32>(object, C_JUMPS) + by
  const stream = <usize>load<u32>(object, C_STREAM) + by
  store<u32>(object, <u32>jumps, C_JUMPS)
  store<u32>(object, <u32>stream, C_STREAM)
  for (let at = jumps; at < jumps + <usize>length * 4; at += 4) {
    const target = load<u32>(at)
    if (target != 0) store<u32>(at, target + <u32>by)
  }
  resolveJumps(stream, end, jumps, length)
}

function resolveJumps(stream: usize, end: usize, jumps: usize, length: u32): void {
  let at = stream
  while (at < end) {
    const id = <i32>load<u16>(at)
    if (id == O.BLOCK) at += 16
    else if (id == O.PUSHBIG) at += 40
    else {
      if ((id >= O.JUMPTO && id <= O.JUMPZERO) || (id >= O.JUMPLT && id <= O.JUMPNOTEQ)) {
        const target = load<u32>(at, 4)
        store<u32>(at, target < length ? load<u32>(jumps + <usize>target * 4) : 0, 4)
      }
      at += 8
    }
  }
}
