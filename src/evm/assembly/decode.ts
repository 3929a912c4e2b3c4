// From bytecode to the stream that the interpreter runs when code is hot: basic blocks that charge their fixed gas and
// check the stack once, immediate operands in place, common pairs fused.
import {
  BERLIN, BYZANTIUM, C_JUMPS, C_STREAM, CANCUN, CHECKS, CONSTANTINOPLE, HOMESTEAD, ISTANBUL, LONDON, OSAKA,
  SHANGHAI, STATIC_GAS, TANGERINE,
} from './layout'
import * as O from './opcodes'

function define(op: i32, gas: u16, takes: u8, gives: u8): void {
  const at = STATIC_GAS + <usize>op * 4
  store<u16>(at, gas)
  store<u8>(at, takes, 2)
  store<u8>(at, gives, 3)
  const row = CHECKS + <usize>op * 8
  const need = gas == UNDEFINED ? NEVER : <u32>takes * 32
  const span = gas == UNDEFINED ? 0 : (1024 - max<u32>(<u32>gives, <u32>takes)) * 32
  store<u16>(row, gas == UNDEFINED ? 0 : gas)
  store<u16>(row, <u16>need, 2)
  store<u32>(row, span, 4)
}

/** A stack that nobody has. */
const NEVER: u32 = 0xffe0

const UNDEFINED: u16 = 0xffff

export function defineOpcodes(fork: i32): void {
  for (let i = 0; i < 256; i++) define(i, UNDEFINED, 0, 0)
  define(O.STOP, 0, 0, 0)
  define(O.ADD, 3, 2, 1)
  define(O.MUL, 5, 2, 1)
  define(O.SUB, 3, 2, 1)
  for (let i = O.DIV; i <= O.SMOD; i++) define(i, 5, 2, 1)
  define(O.ADDMOD, 8, 3, 1)
  define(O.MULMOD, 8, 3, 1)
  define(O.EXP, 10, 2, 1)
  define(O.SIGNEXTEND, 5, 2, 1)
  for (let i = O.LT; i <= O.EQ; i++) define(i, 3, 2, 1)
  define(O.ISZERO, 3, 1, 1)
  for (let i = O.AND; i <= O.XOR; i++) define(i, 3, 2, 1)
  define(O.NOT, 3, 1, 1)
  define(O.BYTE, 3, 2, 1)
  define(O.KECCAK, 30, 2, 1)
  define(O.ADDRESS, 2, 0, 1)
  const look: u16 = fork >= BERLIN ? 100 : fork >= TANGERINE ? 700 : 20
  const balance: u16 = fork >= BERLIN ? 100 : fork >= ISTANBUL ? 700 : fork >= TANGERINE ? 400 : 20
  define(O.BALANCE, balance, 1, 1)
  define(O.ORIGIN, 2, 0, 1)
  define(O.CALLER, 2, 0, 1)
  define(O.CALLVALUE, 2, 0, 1)
  define(O.CALLDATALOAD, 3, 1, 1)
  define(O.CALLDATASIZE, 2, 0, 1)
  define(O.CALLDATACOPY, 3, 3, 0)
  define(O.CODESIZE, 2, 0, 1)
  define(O.CODECOPY, 3, 3, 0)
  define(O.GASPRICE, 2, 0, 1)
  define(O.EXTCODESIZE, look, 1, 1)
  define(O.EXTCODECOPY, look, 4, 0)
  define(O.BLOCKHASH, 20, 1, 1)
  for (let i = O.COINBASE; i <= O.GASLIMIT; i++) define(i, 2, 0, 1)
  define(O.POP, 2, 1, 0)
  define(O.MLOAD, 3, 1, 1)
  define(O.MSTORE, 3, 2, 0)
  define(O.MSTORE8, 3, 2, 0)
  define(O.SLOAD, fork >= BERLIN ? 100 : fork >= ISTANBUL ? 800 : fork >= TANGERINE ? 200 : 50, 1, 1)
  define(O.SSTORE, 0, 2, 0)
  define(O.JUMP, 8, 1, 0)
  define(O.JUMPI, 10, 2, 0)
  define(O.PC, 2, 0, 1)
  define(O.MSIZE, 2, 0, 1)
  define(O.GAS, 2, 0, 1)
  define(O.JUMPDEST, 1, 0, 0)
  for (let i = O.PUSH1; i <= O.PUSH32; i++) define(i, 3, 0, 1)
  for (let i = 0; i < 16; i++) {
    define(O.DUP1 + i, 3, <u8>(i + 1), <u8>(i + 2))
    define(O.SWAP1 + i, 3, <u8>(i + 2), <u8>(i + 2))
  }
  for (let i = 0; i <= 4; i++) define(O.LOG0 + i, <u16>(375 * (i + 1)), <u8>(i + 2), 0)
  define(O.CREATE, 32000, 3, 1)
  const call: u16 = fork >= BERLIN ? 100 : fork >= TANGERINE ? 700 : 40
  define(O.CALL, call, 7, 1)
  define(O.CALLCODE, call, 7, 1)
  define(O.RETURN, 0, 2, 0)
  define(O.SELFDESTRUCT, fork >= TANGERINE ? 5000 : 0, 1, 0)
  if (fork >= HOMESTEAD) define(O.DELEGATECALL, call, 6, 1)
  if (fork >= BYZANTIUM) {
    define(O.RETURNDATASIZE, 2, 0, 1)
    define(O.RETURNDATACOPY, 3, 3, 0)
    define(O.STATICCALL, call, 6, 1)
    define(O.REVERT, 0, 2, 0)
  }
  if (fork >= CONSTANTINOPLE) {
    for (let i = O.SHL; i <= O.SAR; i++) define(i, 3, 2, 1)
    define(O.EXTCODEHASH, fork >= BERLIN ? 100 : fork >= ISTANBUL ? 700 : 400, 1, 1)
    define(O.CREATE2, 32000, 4, 1)
  }
  if (fork >= ISTANBUL) {
    define(O.CHAINID, 2, 0, 1)
    define(O.SELFBALANCE, 5, 0, 1)
  }
  if (fork >= LONDON) define(O.BASEFEE, 2, 0, 1)
  if (fork >= SHANGHAI) define(O.PUSH0, 2, 0, 1)
  if (fork >= CANCUN) {
    define(O.BLOBHASH, 3, 1, 1)
    define(O.BLOBBASEFEE, 2, 0, 1)
    define(O.TLOAD, 100, 1, 1)
    define(O.TSTORE, 100, 2, 0)
    define(O.MCOPY, 3, 3, 0)
  }
  if (fork >= OSAKA) define(O.CLZ, 5, 1, 1)
}

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

let out: usize = 0
/** The last instructions of the open block, newest first; 0 when there is none. */
let last: usize = 0
let before: usize = 0
let earlier: usize = 0

@inline
function emit(id: i32, a: u32, b: u32): void {
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

function emitOp(op: i32, pc: u32): void {
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

function emitPush(at: usize, size: i32): void {
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
  out += 16
  last = 0
  before = 0
  earlier = 0
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
  out = (to + <usize>length * 4 + 15) & ~15
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
