// CREATE and CREATE2, and the addresses of what they make.
import {
  A_BALANCE, A_NONCE, BERLIN, CALL_DEPTH, COLLISION, CREATING, F_CALLER, F_FLAGS, F_INPUT, F_INPUTLEN, F_SELF,
  F_VALUE, FRAME_SIZE, INITCODE_SIZE, INSUFFICIENT_BALANCE, INTERRUPTED, NONCE_OVERFLOW, OK, OUT_OF_GAS, SHANGHAI,
  SPURIOUS, STATIC, SWITCHED, TANGERINE, TEMP, WRITE_PROTECTION,
} from '../layout'
import * as O from '../opcodes'
import { hostEnter, hostExit } from '../host'
import { addOnce, dropOnce } from '../code/codeStore'
import { arena } from '../heap'
import { account } from '../state/accounts'
import { addBalance, createAccount, hasCode, hasStorage, setNonce, subBalance, warmAccount } from '../state/changes'
import { fork, refund } from '../state/state'
import { journalTop } from '../state/journal'
import { lastLog, logCount } from '../state/logs'
import { memBase, memCost, memEnd, putGas, resize, setAsked, wordGas } from '../gas'
import { keccak } from '../../../base/crypto/assembly/keccak'
import { copy, isSmall, isZero, less } from '../words/u256'
import { toAddressBytes, toBytes } from '../words/bytes'
import { announce } from '../trace/trace'
import {
  addressWord, deliver, depth, dropReturn, frame, openFrame, quick, quickGas, remember, returnData, setQuickGas,
  suspend, TARGET,
} from './frames'

/** The bytes that code may have, a rule of the chain (EIP-170); init code has twice as many. */
export let maxCode: u32 = 24576

export function setMaxCode(size: u32): void {
  maxCode = size
}

export const HASHED: usize = TEMP + 576

/** Begins a creation at `created`; the sender's nonce has been raised. */
export function beginCreate(
  at: usize, kind: i32, created: usize, init: usize, length: u32, gas: i64, stack: usize,
): i32 {
  const offset = init - arena
  dropReturn()
  const value = at + F_VALUE
  if (TRACED) {
    addressWord(created, TARGET)
    hostEnter(kind, at + F_CALLER, TARGET, value, gas, init, length, 0)
  }
  if (load<u64>(created, A_NONCE) != 0 || hasCode(created) || hasStorage(created)) {
    setQuickGas(0)
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
  dropReturn()
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
