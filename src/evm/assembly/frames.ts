// Calls and creations: how a frame begins and ends. Frames lie in linear memory, so depth costs no host stack.
import {
  A_BALANCE, A_NONCE, ARENA_SLACK, BERLIN, C_BYTES, C_DELEGATED, C_HEAT, C_STREAM, CALL_DEPTH, CODE_EF, CODE_SIZE,
  CODE_STORE_GAS, COLLISION, CREATING, F_CALLER, F_CODE, F_DECODED, F_FLAGS, F_GAS, F_GIVEN, F_INPUT, F_INPUTLEN,
  F_IP, F_JOURNAL, F_KIND, F_LOGCOUNT, F_LOGS, F_MEM, F_MEMSIZE, F_OUT, F_OUTLEN, F_REFUND, F_SELF, F_SP,
  F_STACK, F_VALUE, FRAME_SIZE, FRAMES, HOMESTEAD, INITCODE_SIZE, INSUFFICIENT_BALANCE, INTERRUPTED,
  LONDON, MEMORY_LIMIT, MSG_FROM, MSG_TO, MSG_VALUE, NONCE_OVERFLOW, OK, OUT_OF_GAS, PRAGUE,
  PRECOMPILE_FAILED, REVERTED, SHANGHAI, SPURIOUS, STACK, STATIC, SWITCHED, TANGERINE, TEMP, WRITE_PROTECTION,
} from './layout'
import * as O from './opcodes'
import { hostEnter, hostExit, hostPrecompile } from './host'
import { addCode, addOnce, codeOf, delegate, dropOnce, heat } from './codeStore'
import { arena, ensureMemory, give, take } from './heap'
import {
  account, addBalance, createAccount, ensure, exists, fork, hasCode, hasStorage, interrupt, interrupted,
  isEmpty, journalTop, lastLog, logCount, noteRead, precompileId, refund, revertTo, setCode, setLogs,
  setNonce, setRefund, subBalance, touch, warmAccount,
} from './state'
import {
  ENDLESS, memBase, memCost, memEnd, memSize, putGas, resize, setAsked, setMemory, spendElsewhere, wordGas,
} from './gas'
import { keccak } from './keccak'
import { copy, isSmall, isZero, less, set, toAddressBytes, toBytes } from './u256'
import { announce } from './trace'

/** The running frame. */
export let frame: usize = FRAMES
/** What the last call returned, in a block of the heap that grows. */
export let returnData: usize = 0
export let returnSize: u32 = 0
let returnRoom: u32 = 0
/** Of the top frame, when it has ended. */
export let endGas: i64 = 0

/** The bytes that code may have, a rule of the chain (EIP-170); init code has twice as many. */
export let maxCode: u32 = 24576

export function setMaxCode(size: u32): void {
  maxCode = size
}
const ZERO: usize = TEMP + 512
const TARGET: usize = TEMP + 544
const HASHED: usize = TEMP + 576

/** No frame runs: nothing holds on to code or memory. */
export function resetFrames(): void {
  // Frames are left standing when an execution is given up.
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) closeFrame(f)
  frame = FRAMES
  setMemory(arena, 0)
}

/** Init code is its frame's own. */
@inline
function closeFrame(at: usize): void {
  const code = <usize>load<u32>(at, F_CODE)
  store<u32>(at, 0, F_CODE)
  store<u32>(at, 0, F_DECODED)
  if (code != 0 && (load<u32>(at, F_FLAGS) & CREATING) != 0) dropOnce(code)
}

/** Where return data of so many bytes goes; 0 when there is no room. */
export function reserveReturn(size: u32): usize {
  if (size > returnRoom || returnData == 0) {
    const room = max<u32>(size, 0x10000)
    const block = take(room)
    if (block == 0) return 0
    if (returnData != 0) give(returnData, returnRoom)
    returnData = block
    returnRoom = room
  }
  returnSize = size
  return returnData
}

@inline
function depth(): u32 {
  return <u32>((frame - FRAMES) / FRAME_SIZE)
}

/** The address of an account as a word. */
@inline
export function addressWord(p: usize, word: usize): void {
  store<u64>(word, load<u64>(p))
  store<u64>(word, load<u64>(p, 8), 8)
  store<u64>(word, <u64>load<u32>(p, 16), 16)
  store<u64>(word, 0, 24)
}

/** Where the memory of a frame called from the running one begins. */
@inline
function above(): usize {
  return (memBase + memSize + 63) & ~31
}

/** Opens the frame above the memory that is in use; false when there is no room. */
function openFrame(at: usize, kind: i32, self: usize, code: usize, gas: i64, flags: u32, stack: usize): bool {
  const decoded = heat(code, 1)
  const mem = above()
  if (!ensureMemory(<u64>mem + <u64>ARENA_SLACK)) {
    interrupt(MEMORY_LIMIT)
    return false
  }
  frame = at
  store<u32>(at, decoded ? load<u32>(code, C_STREAM) : load<u32>(code, C_BYTES), F_IP)
  store<u32>(at, decoded ? 1 : 0, F_DECODED)
  store<u32>(at, <u32>stack, F_SP)
  store<i64>(at, gas, F_GAS)
  store<u32>(at, <u32>mem, F_MEM)
  store<u32>(at, 0, F_MEMSIZE)
  store<u32>(at, <u32>stack, F_STACK)
  store<u32>(at, <u32>code, F_CODE)
  store<u32>(at, <u32>self, F_SELF)
  store<u32>(at, flags, F_FLAGS)
  store<u32>(at, kind, F_KIND)
  returnSize = 0
  return true
}

function remember(at: usize, gas: i64, mark: usize, marksLogs: usize, marksCount: u32, marksRefund: i64): void {
  store<u32>(at, <u32>mark, F_JOURNAL)
  store<u32>(at, <u32>marksLogs, F_LOGS)
  store<u32>(at, marksCount, F_LOGCOUNT)
  store<i64>(at, marksRefund, F_REFUND)
  store<i64>(at, gas, F_GIVEN)
}

/** What comes back from a call that opened no frame. */
let quickGas: i64 = 0

function runPrecompile(id: i32, input: usize, length: u32, gas: i64): i32 {
  const left = hostPrecompile(id, input, length, gas)
  if (left < 0) {
    returnSize = 0
    quickGas = 0
    spendElsewhere(gas)
    if (left <= -10) {
      interrupt(<i32>(-10 - left))
      return INTERRUPTED
    }
    return left == -2 ? OUT_OF_GAS : PRECOMPILE_FAILED
  }
  spendElsewhere(gas - left)
  quickGas = left
  return OK
}

/**
 * Begins a call at frame `at`: SWITCHED when a frame runs now, else how it ended, with `quickGas`.
 * `codeAccount` has the code, `self` the storage; the value moves from the caller when `kind` is CALL.
 */
function begin(
  at: usize, kind: i32, self: usize, codeAccount: usize, input: usize, length: u32, gas: i64, flags: u32, stack: usize,
): i32 {
  const offset = input - arena
  const mark = journalTop
  const marksLogs = lastLog
  const marksCount = logCount
  const marksRefund = refund
  const value = at + F_VALUE
  const id = precompileId(codeAccount)
  returnSize = 0
  if (TRACED) {
    addressWord(codeAccount, TARGET)
    hostEnter(kind, at + F_CALLER, TARGET, value, gas, input, length, id)
  }
  if (kind == O.CALL) {
    if (!exists(self) && id == 0 && fork >= SPURIOUS && isZero(value)) {
      quickGas = gas
      return quick(OK, gas)
    }
    ensure(self)
    if (!isZero(value)) {
      subBalance(account(at + F_CALLER), value)
      addBalance(self, value)
    } else if (isEmpty(self)) touch(self)
  } else if (kind == O.STATICCALL && isEmpty(codeAccount)) {
    ensure(codeAccount)
    touch(codeAccount)
  }
  if (id != 0) {
    const status = runPrecompile(id, arena + offset, length, gas)
    if (status != OK) {
      revertTo(mark)
      setLogs(marksLogs, marksCount)
      setRefund(marksRefund)
    }
    return quick(status, gas)
  }
  let code = codeOf(codeAccount)
  if (code != 0 && fork >= PRAGUE && load<u32>(code, C_DELEGATED) != 0) {
    delegate(code, TARGET)
    const to = account(TARGET)
    code = precompileId(to) != 0 ? 0 : codeOf(to)
  }
  if (code == 0) {
    quickGas = gas
    return quick(interrupted != 0 ? INTERRUPTED : OK, gas)
  }
  remember(at, gas, mark, marksLogs, marksCount, marksRefund)
  if (!openFrame(at, kind, self, code, gas, flags, stack)) return INTERRUPTED
  store<u32>(at, <u32>(arena + offset), F_INPUT)
  store<u32>(at, length, F_INPUTLEN)
  return SWITCHED
}

function quick(status: i32, given: i64): i32 {
  if (TRACED) hostExit(given - quickGas, returnData, returnSize, status)
  return status
}

/** Begins a creation at `created`; the sender's nonce has been raised. */
function beginCreate(
  at: usize, kind: i32, created: usize, init: usize, length: u32, gas: i64, stack: usize,
): i32 {
  const offset = init - arena
  returnSize = 0
  const value = at + F_VALUE
  if (TRACED) {
    addressWord(created, TARGET)
    hostEnter(kind, at + F_CALLER, TARGET, value, gas, init, length, 0)
  }
  if (load<u64>(created, A_NONCE) != 0 || hasCode(created) || hasStorage(created)) {
    quickGas = 0
    return quick(COLLISION, gas)
  }
  const mark = journalTop
  const marksLogs = lastLog
  const marksCount = logCount
  const marksRefund = refund
  createAccount(created, fork >= SPURIOUS ? 1 : 0)
  if (!isZero(value)) {
    subBalance(account(at + F_CALLER), value)
    addBalance(created, value)
  }
  const code = addOnce(arena + offset, length)
  if (code == 0) return INTERRUPTED
  remember(at, gas, mark, marksLogs, marksCount, marksRefund)
  store<u32>(at, 0, F_INPUT)
  store<u32>(at, 0, F_INPUTLEN)
  if (openFrame(at, kind, created, code, gas, CREATING, stack)) return SWITCHED
  dropOnce(code)
  return INTERRUPTED
}

// ---------- from code ----------

/** The instruction's result goes to the stack of the running frame, which goes on with the gas that came back. */
function deliver(success: bool, gas: i64): void {
  const sp = <usize>load<u32>(frame, F_SP)
  set(sp, success ? 1 : 0)
  store<u32>(frame, <u32>(sp + 32), F_SP)
  store<i64>(frame, load<i64>(frame, F_GAS) + gas, F_GAS)
}

function copyOut(at: u32, size: u32): void {
  memory.copy(memBase + at, returnData, min(size, returnSize))
}

function suspend(ip: usize, sp: usize, gas: i64): void {
  store<u32>(frame, <u32>ip, F_IP)
  store<u32>(frame, <u32>sp, F_SP)
  store<i64>(frame, gas, F_GAS)
  store<u32>(frame, memSize, F_MEMSIZE)
}

/** CALL and its kin. SWITCHED: go on with the frame's own values; else the frame fails with the status. */
export function call(kind: i32, ip: usize, sp: usize, gas: i64): i32 {
  const valued = kind == O.CALL || kind == O.CALLCODE
  const flags = load<u32>(frame, F_FLAGS)
  const asked = sp - 32
  const to = sp - 64
  const value = valued ? sp - 96 : ZERO
  if (!valued) set(ZERO, 0)
  const rest = valued ? sp - 96 : sp - 64
  const transfers = valued && !isZero(value)
  const end = max(memEnd(rest - 32, rest - 64), memEnd(rest - 96, rest - 128))
  if (end > 0x1fffffffe0) return OUT_OF_GAS
  if (TRACED && kind == O.CALL && transfers && (flags & STATIC) != 0) {
    noteRead(2, account(to), 0, 0)
    return WRITE_PROTECTION
  }
  let cost = memCost(end)
  const target = account(to)
  if (fork >= BERLIN && warmAccount(target)) cost += 2500
  let total = putGas(gas)
  if (fork >= PRAGUE) {
    const code = codeOf(target)
    if (code != 0 && load<u32>(code, C_DELEGATED) != 0) {
      delegate(code, TARGET)
      cost += warmAccount(account(TARGET)) ? 2600 : 100
    }
  }
  if (TRACED) noteRead(2, target, 0, 0)
  if (transfers) cost += 9000
  if (kind == O.CALL) {
    if (fork >= SPURIOUS) {
      if (transfers && isEmpty(target)) cost += 25000
    } else if (!exists(target)) cost += 25000
  }
  let given: i64 = isSmall(asked) && load<i64>(asked) >= 0 ? load<i64>(asked) : ENDLESS
  if (total < cost) {
    if (TRACED) setAsked(given == ENDLESS ? cost : cost + given)
    return OUT_OF_GAS
  }
  const free = total - cost
  if (fork >= TANGERINE) given = min(given, free - (free >> 6))
  else if (given > free) return OUT_OF_GAS
  if (interrupted != 0) return INTERRUPTED
  if (TRACED) announce(cost + given, sp)
  if (kind == O.CALL && transfers && (flags & STATIC) != 0) return WRITE_PROTECTION
  if (!resize(end)) return INTERRUPTED
  total = free - given
  if (transfers) given += 2300
  const left = rest - 128
  suspend(ip, left, total)
  const outSize = <u32>load<u64>(rest - 128)
  const outAt = outSize == 0 ? 0 : <u32>load<u64>(rest - 96)
  const self = <usize>load<u32>(frame, F_SELF)
  returnSize = 0
  const at = frame + FRAME_SIZE
  if (depth() >= 1024 || (transfers && less(self + A_BALANCE, value))) {
    if (TRACED) refuse(kind, at, self, target, value, rest, given, depth() >= 1024 ? CALL_DEPTH : INSUFFICIENT_BALANCE)
    deliver(false, given)
    return SWITCHED
  }
  if (kind == O.DELEGATECALL) {
    copy(at + F_CALLER, frame + F_CALLER)
    copy(at + F_VALUE, frame + F_VALUE)
  } else {
    addressWord(self, at + F_CALLER)
    copy(at + F_VALUE, value)
  }
  store<u32>(at, outAt, F_OUT)
  store<u32>(at, outSize, F_OUTLEN)
  const context = kind == O.CALL || kind == O.STATICCALL ? target : self
  const inSize = <u32>load<u64>(rest - 64)
  const input = inSize == 0 ? memBase : memBase + <usize>load<u64>(rest - 32)
  const inherited = (flags & STATIC) | (kind == O.STATICCALL ? STATIC : 0)
  const status = begin(at, kind, context, target, input, inSize, given, inherited, left)
  if (status == SWITCHED || status == INTERRUPTED) return status
  copyOut(outAt, outSize)
  deliver(status == OK, quickGas)
  return SWITCHED
}

function refuse(kind: i32, at: usize, self: usize, target: usize, value: usize, rest: usize, gas: i64, reason: i32): void {
  addressWord(self, at + F_CALLER)
  addressWord(target, TARGET)
  const size = <u32>load<u64>(rest - 64)
  hostEnter(kind, at + F_CALLER, TARGET, value, gas, size == 0 ? memBase : memBase + <usize>load<u64>(rest - 32), size, 0)
  hostExit(0, returnData, 0, reason)
}

/** RLP of the pair (address, nonce), hashed; the address as a word. */
export function createAddress(caller: usize, nonce: u64, word: usize): void {
  const at = HASHED
  store<u8>(at, 0x94, 1)
  toAddressBytes(caller, at + 2)
  let size: u32 = 0
  if (nonce == 0) store<u8>(at, 0x80, 22)
  else if (nonce < 0x80) store<u8>(at, <u8>nonce, 22)
  else {
    size = 8 - (<u32>clz(nonce) >> 3)
    store<u8>(at, <u8>(0x80 + size), 22)
    for (let i: u32 = 0; i < size; i++) store<u8>(at + 23 + i, <u8>(nonce >> <u64>((size - 1 - i) * 8)))
  }
  store<u8>(at, <u8>(0xc0 + 22 + size))
  keccak(at, 23 + size, at)
  addressOfHash(at, word)
}

function addressOfHash(hash: usize, word: usize): void {
  store<u64>(word, bswap<u64>(load<u64>(hash, 24)))
  store<u64>(word, bswap<u64>(load<u64>(hash, 16)), 8)
  store<u64>(word, <u64>bswap<u32>(load<u32>(hash, 12)), 16)
  store<u64>(word, 0, 24)
}

export function create(kind: i32, ip: usize, sp: usize, gas: i64): i32 {
  const value = sp - 32
  const offset = sp - 64
  const length = sp - 96
  if (TRACED && (load<u32>(frame, F_FLAGS) & STATIC) != 0) return WRITE_PROTECTION
  const end = memEnd(offset, length)
  if (end > 0x1fffffffe0) return OUT_OF_GAS
  let cost = memCost(end)
  if (fork >= SHANGHAI) {
    if (!isSmall(length) || load<u64>(length) > <u64>(maxCode * 2)) return INITCODE_SIZE
    cost += wordGas(length, 2)
  }
  if (kind == O.CREATE2) cost += wordGas(length, 6)
  let total = putGas(gas)
  if (TRACED) setAsked(cost)
  if (total < cost) return OUT_OF_GAS
  total -= cost
  if (TRACED) announce(cost, sp)
  if ((load<u32>(frame, F_FLAGS) & STATIC) != 0) return WRITE_PROTECTION
  if (!resize(end)) return INTERRUPTED
  let given = total
  if (fork >= TANGERINE) given -= given >> 6
  total -= given
  const size = <u32>load<u64>(length)
  const init = size == 0 ? memBase : memBase + <usize>load<u64>(offset)
  const left = kind == O.CREATE2 ? sp - 128 : sp - 96
  returnSize = 0
  const self = <usize>load<u32>(frame, F_SELF)
  const at = frame + FRAME_SIZE
  const nonce = load<u64>(self, A_NONCE)
  let refusal = OK
  if (depth() >= 1024) refusal = CALL_DEPTH
  else if (less(self + A_BALANCE, value)) refusal = INSUFFICIENT_BALANCE
  else if (nonce == u64.MAX_VALUE) refusal = NONCE_OVERFLOW
  addressWord(self, at + F_CALLER)
  copy(at + F_VALUE, value)
  if (kind == O.CREATE2) {
    const packed = HASHED
    keccak(init, size, packed + 53)
    store<u8>(packed, 0xff)
    toAddressBytes(self, packed + 1)
    toBytes(sp - 128, packed + 21)
    keccak(packed, 85, packed)
    addressOfHash(packed, TARGET)
  } else createAddress(self, nonce, TARGET)
  suspend(ip, left, total)
  if (refusal != OK) {
    if (TRACED) {
      hostEnter(kind, at + F_CALLER, TARGET, value, given, init, size, 0)
      hostExit(0, returnData, 0, refusal)
    }
    deliver(false, given)
    return SWITCHED
  }
  setNonce(self, nonce + 1)
  const created = account(TARGET)
  if (fork >= BERLIN) warmAccount(created)
  const status = beginCreate(at, kind, created, init, size, given, left)
  if (status == SWITCHED || status == INTERRUPTED) return status
  deliver(false, quickGas)
  return SWITCHED
}

// ---------- the end of a frame ----------

/** Of the code that the last creation returned. */
export let depositSize: u32 = 0

/** Stores what a creation returned; how the creation ended. */
function deposit(out: usize, size: u32, gas: i64): i32 {
  endGas = gas
  depositSize = size
  if (fork >= LONDON && size > 0 && load<u8>(out) == 0xef) return CODE_EF
  const cost = <i64>size * 200
  if (gas < cost) return CODE_STORE_GAS
  if (fork >= SPURIOUS && size > maxCode) return CODE_SIZE
  endGas = gas - cost
  if (size == 0) return OK
  keccak(out, size, HASHED)
  const code = addCode(HASHED, out, size)
  if (code == 0) return INTERRUPTED
  setCode(<usize>load<u32>(frame, F_SELF), HASHED, code)
  return OK
}

/** Ends the running frame. True when another goes on; false when it was the top one, with status in `endStatus`. */
export let endStatus: i32 = 0

export function finish(status: i32, out: usize, size: u32, gas: i64): bool {
  if (interrupted != 0 || status == INTERRUPTED) {
    endStatus = INTERRUPTED
    return false
  }
  const creating = (load<u32>(frame, F_FLAGS) & CREATING) != 0
  const offset = out - arena
  endGas = gas
  if (creating && status == OK) {
    status = deposit(out, size, gas)
    if (status == INTERRUPTED) {
      endStatus = INTERRUPTED
      return false
    }
    if (status == CODE_STORE_GAS && fork < HOMESTEAD) {
      // Frontier keeps the account without code and gives the gas back.
      status = OK
      size = 0
    }
  }
  const top = frame == FRAMES
  if (status != OK) {
    revertTo(<usize>load<u32>(frame, F_JOURNAL))
    setLogs(<usize>load<u32>(frame, F_LOGS), load<u32>(frame, F_LOGCOUNT))
    setRefund(load<i64>(frame, F_REFUND))
    if (status != REVERTED) {
      endGas = 0
      size = 0
    }
  }
  if (reserveReturn(size) == 0) {
    endStatus = INTERRUPTED
    return false
  }
  memory.copy(returnData, arena + offset, size)
  const used = load<i64>(frame, F_GIVEN) - endGas
  if (TRACED) hostExit(used, returnData, returnSize, status)
  if (creating && status == OK && !top) returnSize = 0
  if (top) {
    endStatus = status
    return false
  }
  const child = frame
  const code = <usize>load<u32>(child, F_CODE)
  // Straight code heats up too: by the gas that it took.
  if (!creating && load<u32>(child, F_DECODED) == 0) {
    store<u32>(code, min<u32>(load<u32>(code, C_HEAT) + <u32>(min<i64>(used, 0xfffff) >> 4), 0x3fffffff), C_HEAT)
  }
  closeFrame(child)
  frame -= FRAME_SIZE
  setMemory(<usize>load<u32>(frame, F_MEM), load<u32>(frame, F_MEMSIZE))
  if (creating) {
    if (status == OK) {
      const sp = <usize>load<u32>(frame, F_SP)
      addressWord(<usize>load<u32>(child, F_SELF), sp)
      store<u32>(frame, <u32>(sp + 32), F_SP)
      store<i64>(frame, load<i64>(frame, F_GAS) + endGas, F_GAS)
    } else deliver(false, endGas)
    return true
  }
  copyOut(load<u32>(child, F_OUT), load<u32>(child, F_OUTLEN))
  deliver(status == OK, endGas)
  return true
}

// ---------- from outside ----------

/** Begins the call or creation in the message block: SWITCHED when there is code to run. */
export function beginTop(creating: bool, length: u32, gas: i64): i32 {
  const at = FRAMES
  resetFrames()
  copy(at + F_CALLER, MSG_FROM)
  copy(at + F_VALUE, MSG_VALUE)
  store<u32>(at, 0, F_OUT)
  store<u32>(at, 0, F_OUTLEN)
  // The input counts as memory in use, so that it moves with the arena.
  setMemory(arena, length)
  const target = account(MSG_TO)
  const input = arena
  const status = creating
    ? beginCreate(at, O.CREATE, target, input, length, gas, STACK)
    : begin(at, O.CALL, target, target, input, length, gas, 0, STACK)
  if (status != SWITCHED) {
    endStatus = interrupted != 0 ? INTERRUPTED : status
    endGas = quickGas
  }
  return status
}
