// How the top frame begins, and how every frame ends.
import {
  C_HEAT, CODE_EF, CODE_SIZE, CODE_STORE_GAS, CREATING, F_CALLER, F_CODE, F_DECODED, F_FLAGS, F_GAS, F_GIVEN,
  F_JOURNAL, F_LOGCOUNT, F_LOGS, F_MEM, F_MEMSIZE, F_OUT, F_OUTLEN, F_REFUND, F_SELF, F_SP, F_VALUE, FRAME_SIZE,
  FRAMES, HOMESTEAD, INTERRUPTED, LONDON, MSG_FROM, MSG_TO, MSG_VALUE, OK, REVERTED, SPURIOUS, STACK, SWITCHED,
} from '../layout'
import * as O from '../opcodes'
import { hostExit } from '../host'
import { addCode } from '../code/codeStore'
import { arena } from '../heap'
import { account } from '../state/accounts'
import { fork, interrupted, setRefund } from '../state/state'
import { revertTo } from '../state/journal'
import { setCode } from '../state/changes'
import { setLogs } from '../state/logs'
import { setMemory } from '../gas'
import { keccak } from '../../../base/crypto/assembly/keccak'
import { copy } from '../words/u256'
import {
  addressWord, closeFrame, deliver, frame, quickGas, reserveReturn, resetFrames, returnData, returnSize, setFrame,
} from './frames'
import { beginCreate, HASHED, maxCode } from './create'
import { begin, copyOut } from './call'

/** Of the top frame, when it has ended. */
export let endGas: i64 = 0
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
  // What a creation returned is told to tracers even if it cannot be its code.
  let told = false
  if (creating && status == OK) {
    status = deposit(out, size, gas)
    told = TRACED && status != OK
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
      if (!told) size = 0
    }
  }
  if (reserveReturn(size) == 0) {
    endStatus = INTERRUPTED
    return false
  }
  memory.copy(returnData, arena + offset, size)
  const used = load<i64>(frame, F_GIVEN) - endGas
  if (TRACED) hostExit(used, returnData, returnSize, status)
  if (told || (creating && status == OK && !top)) returnSize = 0
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
  setFrame(frame - FRAME_SIZE)
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
