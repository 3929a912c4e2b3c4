// CALL and its kin.
import {
  A_BALANCE, BERLIN, C_DELEGATED, CALL_DEPTH, F_CALLER, F_FLAGS, F_INPUT, F_INPUTLEN, F_OUT, F_OUTLEN, F_SELF,
  F_VALUE, FRAME_SIZE, INSUFFICIENT_BALANCE, INTERRUPTED, MEMORY_LIMIT, OK, OUT_OF_GAS, PRAGUE, PRECOMPILE_FAILED, SPURIOUS,
  STATIC, SWITCHED, TANGERINE, TEMP, WRITE_PROTECTION,
} from '../layout'
import * as O from '../opcodes'
import { hostEnter, hostExit, hostPrecompile } from '../host'
import { codeOf, delegate } from '../code/codeStore'
import { arena } from '../heap'
import { account } from '../state/accounts'
import { addBalance, ensure, exists, isEmpty, subBalance, touch, warmAccount } from '../state/changes'
import { fork, interrupt, interrupted, noteRead, refund, setRefund } from '../state/state'
import { journalTop, revertTo } from '../state/journal'
import { lastLog, logCount, setLogs } from '../state/logs'
import { precompileId } from '../state/precompileAddresses'
import { ENDLESS, memBase, memCost, memEnd, putGas, resize, setAsked, spendElsewhere, words } from '../gas'
import { copy, isSmall, isZero, less, set } from '../words/u256'
import { announce } from '../trace/trace'
import {
  addressWord, deliver, depth, dropReturn, frame, openFrame, quick, quickGas, remember, reserveReturn, returnData,
  returnSize, setQuickGas, suspend, TARGET,
} from './frames'

const ZERO: usize = TEMP + 512

/** The precompile that returns its input. It needs no host. */
const IDENTITY: i32 = 4

/** The gas left, or what `hostPrecompile` says of a failure. */
function copyInput(input: usize, length: u32, gas: i64): i64 {
  const cost = 15 + 3 * words(length)
  if (cost > gas) return -2
  const offset = input - arena
  if (reserveReturn(length) == 0) return -10 - MEMORY_LIMIT
  memory.copy(returnData, arena + offset, length)
  return gas - cost
}

function runPrecompile(id: i32, input: usize, length: u32, gas: i64): i32 {
  const left = id == IDENTITY ? copyInput(input, length, gas) : hostPrecompile(id, input, length, gas)
  if (left < 0) {
    dropReturn()
    setQuickGas(0)
    spendElsewhere(gas)
    if (left <= -10) {
      interrupt(<i32>(-10 - left))
      return INTERRUPTED
    }
    return left == -2 ? OUT_OF_GAS : PRECOMPILE_FAILED
  }
  spendElsewhere(gas - left)
  setQuickGas(left)
  return OK
}

/**
 * Begins a call at frame `at`: SWITCHED when a frame runs now, else how it ended, with `quickGas`.
 * `codeAccount` has the code, `self` the storage; the value moves from the caller when `kind` is CALL.
 */
export function begin(
  at: usize, kind: i32, self: usize, codeAccount: usize, input: usize, length: u32, gas: i64, flags: u32, stack: usize,
): i32 {
  const offset = input - arena
  const mark = journalTop
  const marksLogs = lastLog
  const marksCount = logCount
  const marksRefund = refund
  const value = at + F_VALUE
  const id = precompileId(codeAccount)
  dropReturn()
  if (TRACED) {
    addressWord(codeAccount, TARGET)
    hostEnter(kind, at + F_CALLER, TARGET, value, gas, input, length, id)
  }
  if (kind == O.CALL) {
    if (!exists(self) && id == 0 && fork >= SPURIOUS && isZero(value)) {
      setQuickGas(gas)
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
    setQuickGas(gas)
    return quick(interrupted != 0 ? INTERRUPTED : OK, gas)
  }
  remember(at, gas, mark, marksLogs, marksCount, marksRefund)
  if (!openFrame(at, kind, self, code, gas, flags, stack)) return INTERRUPTED
  store<u32>(at, <u32>(arena + offset), F_INPUT)
  store<u32>(at, length, F_INPUTLEN)
  return SWITCHED
}

export function copyOut(at: u32, size: u32): void {
  memory.copy(memBase + at, returnData, min(size, returnSize))
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
  dropReturn()
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
