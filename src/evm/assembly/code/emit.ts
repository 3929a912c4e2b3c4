// Writes the instructions of a stream: immediate operands in place, common pairs fused.
import * as O from '../opcodes'

export let out: usize = 0
/** The last instructions of the open block, newest first; 0 when there is none. */
export let last: usize = 0
export let before: usize = 0
export let earlier: usize = 0

@inline
export function setOut(at: usize): void {
  out = at
}

/** The instructions of a block begin here: none before them is fused with them. */
@inline
export function beginBlock(at: usize): void {
  out = at
  last = 0
  before = 0
  earlier = 0
}

@inline
export function emit(id: i32, a: u32, b: u32): void {
  store<u32>(out, <u32>id | (a << 16))
  store<u32>(out, b, 4)
  earlier = before
  before = last
  last = out
  out += 8
}

@inline
function lastIs(id: i32): bool {
  return last != 0 && <i32>load<u16>(last) == id
}

/** Puts another instruction in the place of the last one. */
@inline
function replaceLast(id: i32, a: u32, b: u32): void {
  store<u32>(last, <u32>id | (a << 16))
  store<u32>(last, b, 4)
}

/** Drops the last instruction; only valid for one of 8 bytes. */
@inline
function dropLast(): void {
  out = last
  last = before
  before = earlier
  earlier = 0
}

function emitJump(conditional: bool): void {
  if (!lastIs(O.PUSH)) {
    emit(conditional ? O.JUMPI : O.JUMP, 0, 0)
    return
  }
  const target = load<u32>(last, 4)
  if (!conditional) {
    replaceLast(O.JUMPTO, 0, target)
    return
  }
  dropLast()
  let id = O.JUMPIF
  if (lastIs(O.ISZERO)) {
    dropLast()
    id = O.JUMPZERO
  }
  const negated = id == O.JUMPZERO
  if (lastIs(O.LT)) {
    dropLast()
    id = negated ? O.JUMPNOTLT : O.JUMPLT
  } else if (lastIs(O.GT)) {
    dropLast()
    id = negated ? O.JUMPNOTGT : O.JUMPGT
  } else if (lastIs(O.EQ)) {
    dropLast()
    id = negated ? O.JUMPNOTEQ : O.JUMPEQ
  }
  emit(id, 0, target)
}

/** An operation whose top operand is a constant of 32 bits; 0 when there is no such fusion. */
@inline
function immediateForm(op: i32): i32 {
  switch (op) {
    case O.ADD: return O.ADDIMM
    case O.SUB: return O.SUBIMM
    case O.MUL: return O.MULIMM
    case O.AND: return O.ANDIMM
    case O.EQ: return O.EQIMM
    case O.LT: return O.LTIMM
    case O.GT: return O.GTIMM
    case O.SHL: return O.SHLIMM
    case O.SHR: return O.SHRIMM
    case O.MLOAD: return O.MLOADIMM
    case O.MSTORE: return O.MSTOREIMM
    default: return 0
  }
}

export function emitOp(op: i32, pc: u32): void {
  if (op == O.JUMP || op == O.JUMPI) return emitJump(op == O.JUMPI)
  if (lastIs(O.PUSH)) {
    const fused = immediateForm(op)
    // Where its cost depends on operands, it tells where it begins.
    const pushedAt = pc - pushSize
    if (fused == O.MLOADIMM || fused == O.MSTOREIMM) {
      if (pushedAt < 0x10000) return replaceLast(fused, pushedAt, load<u32>(last, 4))
    } else if (fused != 0) return replaceLast(fused, 0, load<u32>(last, 4))
  }
  if (op == O.POP) {
    if (lastIs(O.SWAP)) return replaceLast(O.SWAPPOP, load<u16>(last, 2), 0)
    if (lastIs(O.POP)) return replaceLast(O.POPS, 64, 0)
    if (lastIs(O.POPS)) return replaceLast(O.POPS, <u32>load<u16>(last, 2) + 32, 0)
  }
  if (op == O.ADD) {
    if (lastIs(O.DUP)) return replaceLast(O.DUPADD, load<u16>(last, 2), 0)
    if (lastIs(O.SWAP) && load<u16>(last, 2) == 64) return replaceLast(O.ADD, 0, 0)
  }
  if (op == O.SUB && lastIs(O.SWAP) && load<u16>(last, 2) == 64) return replaceLast(O.SWAPSUB, 0, 0)
  if (op >= O.DUP1 && op < O.SWAP1) {
    const distance = <u32>(op - O.DUP1 + 1) * 32
    if (lastIs(O.DUP)) return replaceLast(O.DUPDUP, load<u16>(last, 2), distance)
    return emit(O.DUP, distance, 0)
  }
  if (op >= O.SWAP1 && op < O.LOG0) return emit(O.SWAP, <u32>(op - O.SWAP1 + 2) * 32, 0)
  if (op == O.PC || op == O.PUSH0) {
    pushSize = 1
    return emit(O.PUSH, 0, op == O.PC ? pc : 0)
  }
  emit(op, 0, pc)
}

/** The bytes of the last push, its number included. */
let pushSize: u32 = 0

export function emitPush(at: usize, size: i32): void {
  pushSize = <u32>size + 1
  let small = true
  for (let i = 0; i < size - 4; i++) {
    if (load<u8>(at + <usize>i) != 0) {
      small = false
      break
    }
  }
  if (small) {
    let value: u32 = 0
    for (let i = max(0, size - 4); i < size; i++) value = (value << 8) | <u32>load<u8>(at + <usize>i)
    return emit(O.PUSH, 0, value)
  }
  emit(O.PUSHBIG, 0, 0)
  memory.fill(out, 0, 32)
  for (let i = 0; i < size; i++) store<u8>(out + <usize>(size - 1 - i), load<u8>(at + <usize>i))
  out += 32
}
