// The interpreter: one loop, one switch, compiled twice. Code runs as it is, instruction by instruction, until it is hot;
// then as a stream that decode.ts made. What a program does and how it fails is the same for both: where a block of the
// stream cannot end well, the frame goes on with the code as it is, which finds out why. `ip`, `sp` and `gas` live in
// locals; `sp` points behind the top of the stack. A case that ends by `continue` goes on; one that leaves the switch
// has set `status`.
import {
  A_BALANCE, BERLIN, BLOBS, C_BYTES, C_JUMPS, C_LENGTH, CHECKS, CTX_BASEFEE, CTX_BLOBFEE, CTX_CHAINID, CTX_COINBASE,
  CTX_GASLIMIT, CTX_GASPRICE, CTX_NUMBER, CTX_ORIGIN, CTX_RANDAO, CTX_TIMESTAMP, F_CALLER, F_CODE, F_DECODED,
  F_FLAGS, F_GAS, F_INPUT, F_INPUTLEN, F_IP, F_MEM, F_MEMSIZE, F_SELF, F_SP, F_STACK, F_VALUE, INTERRUPTED,
  INVALID_JUMP, INVALID_OPCODE, LONDON, OK, OUT_OF_GAS, RETURN_DATA_BOUNDS, REVERTED, S_VALUE, SPURIOUS, STATIC,
  SWITCHED, WRITE_PROTECTION,
} from '../layout'
import * as O from '../opcodes'
import { codeOf, heat, isDestination } from '../code/codeStore'
import { account } from '../state/accounts'
import { addRefund, fork, interrupted, noteRead } from '../state/state'
import { isCold, isDestroyed, warmAccount } from '../state/changes'
import { isColdSlot, setSlot, slot, warmSlot } from '../state/slots'
import { loadTransient, storeTransient } from '../state/transient'
import {
  charge, ENDLESS, memBase, memCost, memEnd, memSize, putGas, refill, reserve, resize, setMemory, storeCost,
  takeGas, wordGas,
} from '../gas'
import { addressWord, frame, returnData, returnSize } from '../frames/frames'
import { call } from '../frames/call'
import { create } from '../frames/create'
import { finish } from '../frames/end'
import { announce, approach, failed } from '../trace/trace'
import { add, copy, equal, isSmall, isZero, less, mul, set, signedLess, sub } from '../words/u256'
import { addMod, div, mod, mulMod, sdiv, smod } from '../words/division'
import { bits, exp, shiftLeft, shiftRight, signExtend } from '../words/shifts'
import { fromBytes, toBytes } from '../words/bytes'
import { blobCount, blockHash, codeHash, copyPadded, loadInput } from './environment'
import { diagnose, isDynamic } from './diagnose'
import { destroy, destroyCost, writeLog } from './effects'
import { enterStream, leaveBlock, pause, setChanged, stopAtBlock } from './leave'
import { hashBytesToWord } from './hashing'

@inline
function swap(a: usize, b: usize): void {
  const x0 = load<u64>(a), x1 = load<u64>(a, 8), x2 = load<u64>(a, 16), x3 = load<u64>(a, 24)
  copy(a, b)
  store<u64>(b, x0)
  store<u64>(b, x1, 8)
  store<u64>(b, x2, 16)
  store<u64>(b, x3, 24)
}

/** The instruction at `ip`. */
@inline
function opAt<Unit>(ip: usize): i32 {
  return sizeof<Unit>() == 1 ? <i32>load<u8>(ip) : <i32>load<u16>(ip)
}

/** The data of a push of more than eight bytes. */
function pushLong(ip: usize, size: usize, to: usize): void {
  // Read to its last byte, with what lies before it cut off.
  fromBytes(ip + 1 + size - 32, to)
  if (size == 32) return
  const rest = <u64>(size & 7) * 8
  const part = rest == 0 ? 0 : ((<u64>1 << rest) - 1)
  const limb = size >> 3
  store<u64>(to + limb * 8, load<u64>(to + limb * 8) & part)
  for (let i = limb + 1; i < 4; i++) store<u64>(to + i * 8, 0)
}

/** `Unit` is a byte for code as it is, and eight bytes for a stream. */
export function loop<Unit>(): void {
  const AS_IS = sizeof<Unit>() == 1
  const STEP: usize = sizeof<Unit>()
  let ip: usize = <usize>load<u32>(frame, F_IP)
  let sp: usize = <usize>load<u32>(frame, F_SP)
  let gas: i64 = takeGas(load<i64>(frame, F_GAS))
  let stackBase: usize = <usize>load<u32>(frame, F_STACK)
  let self: usize = <usize>load<u32>(frame, F_SELF)
  let out: usize = 0
  let outSize: u32 = 0
  let status: i32 = OK
  setMemory(<usize>load<u32>(frame, F_MEM), load<u32>(frame, F_MEMSIZE))
  while (true) {
    if (AS_IS) {
      const op = opAt<Unit>(ip)
      const row = CHECKS + <usize>op * 8
      const cost = <i64>load<u16>(row)
      if (TRACED) approach(<u32>(ip - <usize>load<u32>(<usize>load<u32>(frame, F_CODE), C_BYTES)), op, gas, cost)
      const height = <u32>(sp - stackBase)
      gas -= cost
      if (height - <u32>load<u16>(row, 2) > load<u32>(row, 4)) status = diagnose(op, <i32>(height >> 5))
      else if (gas < 0) {
        gas = refill(gas)
        if (gas < 0) status = OUT_OF_GAS
        else if (!TRACED) {
          pause(ip, sp, gas + cost)
          return
        }
      }
      if (status == OK) {
        if (TRACED && !isDynamic(op)) announce(0, sp)
        if (op >= O.PUSH1 && op < O.LOG0) {
          if (op <= O.PUSH32) {
            const size = <usize>(op - O.PUSH1 + 1)
            if (size <= 8) set(sp, bswap<u64>(load<u64>(ip, 1)) >> <u64>(64 - size * 8))
            else pushLong(ip, size, sp)
            sp += 32
            ip += size + 1
          } else if (op < O.SWAP1) {
            copy(sp, sp - <usize>(op - O.DUP1 + 1) * 32)
            sp += 32
            ip++
          } else {
            swap(sp - 32, sp - <usize>(op - O.SWAP1 + 2) * 32)
            ip++
          }
          continue
        }
      }
    }
    if (!AS_IS || status == OK) switch (opAt<Unit>(ip)) {
      case O.STOP: {
        outSize = 0
        status = OK
        break
      }
      case O.ADD: {
        add(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.MUL: {
        mul(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SUB: {
        sub(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.DIV: {
        div(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SDIV: {
        sdiv(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.MOD: {
        mod(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SMOD: {
        smod(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.ADDMOD: {
        addMod(sp - 32, sp - 64, sp - 96, sp - 96)
        sp -= 64
        ip += STEP
        continue
      }
      case O.MULMOD: {
        mulMod(sp - 32, sp - 64, sp - 96, sp - 96)
        sp -= 64
        ip += STEP
        continue
      }
      case O.EXP: {
        const cost = <i64>((bits(sp - 64) + 7) >> 3) * (fork >= SPURIOUS ? 50 : 10)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        exp(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SIGNEXTEND: {
        signExtend(sp - 32, sp - 64, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.LT: {
        set(sp - 64, u64(less(sp - 32, sp - 64)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.GT: {
        set(sp - 64, u64(less(sp - 64, sp - 32)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.SLT: {
        set(sp - 64, u64(signedLess(sp - 32, sp - 64)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.SGT: {
        set(sp - 64, u64(signedLess(sp - 64, sp - 32)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.EQ: {
        set(sp - 64, u64(equal(sp - 32, sp - 64)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.ISZERO: {
        set(sp - 32, u64(isZero(sp - 32)))
        ip += STEP
        continue
      }
      case O.AND: {
        const a = sp - 64
        store<u64>(a, load<u64>(a) & load<u64>(a, 32))
        store<u64>(a, load<u64>(a, 8) & load<u64>(a, 40), 8)
        store<u64>(a, load<u64>(a, 16) & load<u64>(a, 48), 16)
        store<u64>(a, load<u64>(a, 24) & load<u64>(a, 56), 24)
        sp -= 32
        ip += STEP
        continue
      }
      case O.OR: {
        const a = sp - 64
        store<u64>(a, load<u64>(a) | load<u64>(a, 32))
        store<u64>(a, load<u64>(a, 8) | load<u64>(a, 40), 8)
        store<u64>(a, load<u64>(a, 16) | load<u64>(a, 48), 16)
        store<u64>(a, load<u64>(a, 24) | load<u64>(a, 56), 24)
        sp -= 32
        ip += STEP
        continue
      }
      case O.XOR: {
        const a = sp - 64
        store<u64>(a, load<u64>(a) ^ load<u64>(a, 32))
        store<u64>(a, load<u64>(a, 8) ^ load<u64>(a, 40), 8)
        store<u64>(a, load<u64>(a, 16) ^ load<u64>(a, 48), 16)
        store<u64>(a, load<u64>(a, 24) ^ load<u64>(a, 56), 24)
        sp -= 32
        ip += STEP
        continue
      }
      case O.NOT: {
        const a = sp - 32
        store<u64>(a, ~load<u64>(a))
        store<u64>(a, ~load<u64>(a, 8), 8)
        store<u64>(a, ~load<u64>(a, 16), 16)
        store<u64>(a, ~load<u64>(a, 24), 24)
        ip += STEP
        continue
      }
      case O.BYTE: {
        const index = load<u64>(sp - 32)
        if (!isSmall(sp - 32) || index > 31) set(sp - 64, 0)
        else set(sp - 64, <u64>load<u8>(sp - 64 + <usize>(31 - index)))
        sp -= 32
        ip += STEP
        continue
      }
      case O.SHL: {
        const n = load<u64>(sp - 32)
        if (!isSmall(sp - 32) || n > 255) set(sp - 64, 0)
        else shiftLeft(sp - 64, <u32>n, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SHR: {
        const n = load<u64>(sp - 32)
        if (!isSmall(sp - 32) || n > 255) set(sp - 64, 0)
        else shiftRight(sp - 64, <u32>n, sp - 64, 0)
        sp -= 32
        ip += STEP
        continue
      }
      case O.SAR: {
        const n = load<u64>(sp - 32)
        const fill: u64 = load<i64>(sp - 64, 24) < 0 ? u64.MAX_VALUE : 0
        if (!isSmall(sp - 32) || n > 255) {
          store<u64>(sp - 64, fill)
          store<u64>(sp - 64, fill, 8)
          store<u64>(sp - 64, fill, 16)
          store<u64>(sp - 64, fill, 24)
        } else shiftRight(sp - 64, <u32>n, sp - 64, fill)
        sp -= 32
        ip += STEP
        continue
      }
      case O.CLZ: {
        set(sp - 32, <u64>(256 - bits(sp - 32)))
        ip += STEP
        continue
      }
      case O.KECCAK: {
        const end = memEnd(sp - 32, sp - 64)
        const cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + wordGas(sp - 64, 6)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 64)
        hashBytesToWord(size == 0 ? memBase : memBase + <usize>load<u64>(sp - 32), size, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.ADDRESS: {
        addressWord(self, sp)
        sp += 32
        ip += STEP
        continue
      }
      case O.BALANCE: {
        const p = account(sp - 32)
        const cost: i64 = fork >= BERLIN && isCold(p) ? 2500 : 0
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(1, p, 0, p + A_BALANCE)
        }
        copy(sp - 32, p + A_BALANCE)
        ip += STEP
        continue
      }
      case O.ORIGIN: {
        copy(sp, CTX_ORIGIN)
        sp += 32
        ip += STEP
        continue
      }
      case O.CALLER: {
        copy(sp, frame + F_CALLER)
        sp += 32
        ip += STEP
        continue
      }
      case O.CALLVALUE: {
        copy(sp, frame + F_VALUE)
        sp += 32
        ip += STEP
        continue
      }
      case O.CALLDATALOAD: {
        loadInput(sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.CALLDATASIZE: {
        set(sp, <u64>load<u32>(frame, F_INPUTLEN))
        sp += 32
        ip += STEP
        continue
      }
      case O.CALLDATACOPY:
      case O.CODECOPY: {
        const end = memEnd(sp - 32, sp - 96)
        const cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + wordGas(sp - 96, 3)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 96)
        if (size != 0) {
          const to = memBase + <usize>load<u64>(sp - 32)
          if (opAt<Unit>(ip) == O.CALLDATACOPY) {
            copyPadded(to, <usize>load<u32>(frame, F_INPUT), load<u32>(frame, F_INPUTLEN), sp - 64, size)
          } else {
            const code = <usize>load<u32>(frame, F_CODE)
            copyPadded(to, <usize>load<u32>(code, C_BYTES), load<u32>(code, C_LENGTH), sp - 64, size)
          }
        }
        sp -= 96
        ip += STEP
        continue
      }
      case O.CODESIZE: {
        set(sp, <u64>load<u32>(<usize>load<u32>(frame, F_CODE), C_LENGTH))
        sp += 32
        ip += STEP
        continue
      }
      case O.GASPRICE: {
        copy(sp, CTX_GASPRICE)
        sp += 32
        ip += STEP
        continue
      }
      case O.EXTCODESIZE: {
        const p = account(sp - 32)
        const cost: i64 = fork >= BERLIN && isCold(p) ? 2500 : 0
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(2, p, 0, 0)
        }
        const code = codeOf(p)
        if (interrupted != 0) {
          status = INTERRUPTED
          break
        }
        set(sp - 32, code == 0 ? 0 : <u64>load<u32>(code, C_LENGTH))
        ip += STEP
        continue
      }
      case O.EXTCODECOPY: {
        const p = account(sp - 32)
        const end = memEnd(sp - 64, sp - 128)
        let cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + wordGas(sp - 128, 3)
        const cold = fork >= BERLIN && isCold(p)
        if (cold && cost != ENDLESS) cost += 2500
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (cold) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(2, p, 0, 0)
        }
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 128)
        if (size != 0) {
          const code = codeOf(p)
          if (interrupted != 0) {
            status = INTERRUPTED
            break
          }
          const to = memBase + <usize>load<u64>(sp - 64)
          if (code == 0) memory.fill(to, 0, size)
          else copyPadded(to, <usize>load<u32>(code, C_BYTES), load<u32>(code, C_LENGTH), sp - 96, size)
        }
        sp -= 128
        ip += STEP
        continue
      }
      case O.RETURNDATASIZE: {
        set(sp, <u64>returnSize)
        sp += 32
        ip += STEP
        continue
      }
      case O.RETURNDATACOPY: {
        const end = memEnd(sp - 32, sp - 96)
        const cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + wordGas(sp - 96, 3)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (
          !isSmall(sp - 64) || load<u64>(sp - 64) > <u64>returnSize || load<u64>(sp - 96) > <u64>returnSize ||
          load<u64>(sp - 64) + load<u64>(sp - 96) > <u64>returnSize
        ) {
          status = RETURN_DATA_BOUNDS
          break
        }
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 96)
        if (size != 0) memory.copy(memBase + <usize>load<u64>(sp - 32), returnData + <usize>load<u64>(sp - 64), size)
        sp -= 96
        ip += STEP
        continue
      }
      case O.EXTCODEHASH: {
        const p = account(sp - 32)
        const cost: i64 = fork >= BERLIN && isCold(p) ? 2500 : 0
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmAccount(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(2, p, 0, 0)
        }
        codeHash(p, sp - 32)
        ip += STEP
        continue
      }
      case O.BLOCKHASH: {
        blockHash(sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.COINBASE: {
        copy(sp, CTX_COINBASE)
        sp += 32
        ip += STEP
        continue
      }
      case O.TIMESTAMP: {
        copy(sp, CTX_TIMESTAMP)
        sp += 32
        ip += STEP
        continue
      }
      case O.NUMBER: {
        copy(sp, CTX_NUMBER)
        sp += 32
        ip += STEP
        continue
      }
      case O.PREVRANDAO: {
        copy(sp, CTX_RANDAO)
        sp += 32
        ip += STEP
        continue
      }
      case O.GASLIMIT: {
        copy(sp, CTX_GASLIMIT)
        sp += 32
        ip += STEP
        continue
      }
      case O.CHAINID: {
        copy(sp, CTX_CHAINID)
        sp += 32
        ip += STEP
        continue
      }
      case O.SELFBALANCE: {
        if (TRACED) noteRead(1, self, 0, self + A_BALANCE)
        copy(sp, self + A_BALANCE)
        sp += 32
        ip += STEP
        continue
      }
      case O.BASEFEE: {
        copy(sp, CTX_BASEFEE)
        sp += 32
        ip += STEP
        continue
      }
      case O.BLOBHASH: {
        const index = load<u64>(sp - 32)
        if (!isSmall(sp - 32) || index >= <u64>blobCount) set(sp - 32, 0)
        else fromBytes(BLOBS + <usize>index * 32, sp - 32)
        ip += STEP
        continue
      }
      case O.BLOBBASEFEE: {
        copy(sp, CTX_BLOBFEE)
        sp += 32
        ip += STEP
        continue
      }
      case O.POP: {
        sp -= 32
        ip += STEP
        continue
      }
      case O.MLOAD: {
        const at = load<u64>(sp - 32)
        if (!TRACED && isSmall(sp - 32) && at < <u64>memSize && at + 32 <= <u64>memSize) {
          fromBytes(memBase + <usize>at, sp - 32)
          ip += STEP
          continue
        }
        const end: u64 = !isSmall(sp - 32) || at > 0x1fffffffe0 ? u64.MAX_VALUE : at + 32
        const cost = memCost(end)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        fromBytes(memBase + <usize>at, sp - 32)
        ip += STEP
        continue
      }
      case O.MSTORE: {
        const at = load<u64>(sp - 32)
        if (!TRACED && isSmall(sp - 32) && at < <u64>memSize && at + 32 <= <u64>memSize) {
          toBytes(sp - 64, memBase + <usize>at)
          sp -= 64
          ip += STEP
          continue
        }
        const end: u64 = !isSmall(sp - 32) || at > 0x1fffffffe0 ? u64.MAX_VALUE : at + 32
        const cost = memCost(end)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        toBytes(sp - 64, memBase + <usize>at)
        sp -= 64
        ip += STEP
        continue
      }
      case O.MSTORE8: {
        const at = load<u64>(sp - 32)
        const end: u64 = !isSmall(sp - 32) || at > 0x1fffffffe0 ? u64.MAX_VALUE : at + 1
        const cost = memCost(end)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        store<u8>(memBase + <usize>at, load<u8>(sp - 64))
        sp -= 64
        ip += STEP
        continue
      }
      case O.SLOAD: {
        const p = slot(self, sp - 32)
        const cost: i64 = fork >= BERLIN && isColdSlot(p) ? 2000 : 0
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (cost != 0) warmSlot(p)
        if (TRACED) {
          announce(cost, sp)
          noteRead(0, self, sp - 32, p + S_VALUE)
        }
        copy(sp - 32, p + S_VALUE)
        ip += STEP
        continue
      }
      case O.SSTORE: {
        if (TRACED && (load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          // The reference client looks at this before it asks for gas.
          noteRead(3, self, sp - 32, sp - 64)
          status = WRITE_PROTECTION
          break
        }
        const p = slot(self, sp - 32)
        const cost = storeCost(p, sp - 64, gas + reserve)
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) {
          announce(cost, sp)
          noteRead(3, self, sp - 32, sp - 64)
        }
        if ((load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          status = WRITE_PROTECTION
          break
        }
        if (!equal(p + S_VALUE, sp - 64)) setSlot(p, sp - 64)
        sp -= 64
        ip += STEP
        continue
      }
      case O.JUMP: {
        sp -= 32
        const target = load<u64>(sp)
        const code = <usize>load<u32>(frame, F_CODE)
        if (!isSmall(sp) || target >= <u64>load<u32>(code, C_LENGTH)) {
          status = INVALID_JUMP
          break
        }
        if (AS_IS) {
          if (!isDestination(code, target)) {
            status = INVALID_JUMP
            break
          }
          if (heat(code, 1)) {
            enterStream(<usize>load<u32>(<usize>load<u32>(code, C_JUMPS) + <usize>target * 4), sp, gas)
            return
          }
          ip = <usize>load<u32>(code, C_BYTES) + <usize>target
          continue
        }
        ip = <usize>load<u32>(<usize>load<u32>(code, C_JUMPS) + <usize>target * 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPI: {
        sp -= 64
        if (isZero(sp)) {
          ip += STEP
          continue
        }
        const target = load<u64>(sp + 32)
        const code = <usize>load<u32>(frame, F_CODE)
        if (!isSmall(sp + 32) || target >= <u64>load<u32>(code, C_LENGTH)) {
          status = INVALID_JUMP
          break
        }
        if (AS_IS) {
          if (!isDestination(code, target)) {
            status = INVALID_JUMP
            break
          }
          if (heat(code, 1)) {
            enterStream(<usize>load<u32>(<usize>load<u32>(code, C_JUMPS) + <usize>target * 4), sp, gas)
            return
          }
          ip = <usize>load<u32>(code, C_BYTES) + <usize>target
          continue
        }
        ip = <usize>load<u32>(<usize>load<u32>(code, C_JUMPS) + <usize>target * 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.PC: {
        set(sp, <u64>(ip - <usize>load<u32>(<usize>load<u32>(frame, F_CODE), C_BYTES)))
        sp += 32
        ip += STEP
        continue
      }
      case O.PUSH0: {
        set(sp, 0)
        sp += 32
        ip += STEP
        continue
      }
      case O.JUMPDEST: {
        ip += STEP
        continue
      }
      case O.MSIZE: {
        set(sp, <u64>memSize)
        sp += 32
        ip += STEP
        continue
      }
      case O.GAS: {
        set(sp, <u64>(gas + reserve))
        sp += 32
        ip += STEP
        continue
      }
      case O.TLOAD: {
        loadTransient(self, sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.TSTORE: {
        if ((load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          status = WRITE_PROTECTION
          break
        }
        storeTransient(self, sp - 32, sp - 64)
        if (interrupted != 0) {
          status = INTERRUPTED
          break
        }
        sp -= 64
        ip += STEP
        continue
      }
      case O.MCOPY: {
        const end = max(memEnd(sp - 32, sp - 96), memEnd(sp - 64, sp - 96))
        const cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + wordGas(sp - 96, 3)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 96)
        if (size != 0) memory.copy(memBase + <usize>load<u64>(sp - 32), memBase + <usize>load<u64>(sp - 64), size)
        sp -= 96
        ip += STEP
        continue
      }
      case O.LOG0:
      case O.LOG1:
      case O.LOG2:
      case O.LOG3:
      case O.LOG4: {
        const end = memEnd(sp - 32, sp - 64)
        const cost = end == u64.MAX_VALUE ? ENDLESS : memCost(end) + <i64>load<u64>(sp - 64) * 8
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if ((load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          status = WRITE_PROTECTION
          break
        }
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        const size = <u32>load<u64>(sp - 64)
        const topics = <u32>(opAt<Unit>(ip) - O.LOG0)
        if (!writeLog(topics, <usize>load<u64>(sp - 32), size, sp)) {
          status = INTERRUPTED
          break
        }
        sp -= 64 + <usize>topics * 32
        ip += STEP
        continue
      }
      case O.CREATE:
      case O.CREATE2: {
        status = create(opAt<Unit>(ip), ip + STEP, sp, gas)
        break
      }
      case O.CALL:
      case O.CALLCODE:
      case O.DELEGATECALL:
      case O.STATICCALL: {
        status = call(opAt<Unit>(ip), ip + STEP, sp, gas)
        break
      }
      case O.RETURN:
      case O.REVERT: {
        const end = memEnd(sp - 32, sp - 64)
        const cost = memCost(end)
        gas = charge(gas, cost)
        if (gas < 0) {
          status = OUT_OF_GAS
          break
        }
        if (TRACED) announce(cost, sp)
        if (!resize(end)) {
          status = INTERRUPTED
          break
        }
        outSize = <u32>load<u64>(sp - 64)
        out = outSize == 0 ? memBase : memBase + <usize>load<u64>(sp - 32)
        status = opAt<Unit>(ip) == O.RETURN ? OK : REVERTED
        break
      }
      case O.SELFDESTRUCT: {
        if (TRACED && (load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          noteRead(2, account(sp - 32), 0, 0)
          status = WRITE_PROTECTION
          break
        }
        const heir = account(sp - 32)
        const cost = destroyCost(self, heir)
        gas = charge(gas, cost)
        if (gas < 0 || interrupted != 0) {
          status = OUT_OF_GAS
          break
        }
        if (fork < LONDON && !isDestroyed(self)) addRefund(24000)
        if (TRACED) {
          announce(cost, sp)
          noteRead(2, heir, 0, 0)
        }
        if ((load<u32>(frame, F_FLAGS) & STATIC) != 0) {
          status = WRITE_PROTECTION
          break
        }
        destroy(self, heir)
        outSize = 0
        status = OK
        break
      }
      // From here on there are only instructions of streams.
      case O.BLOCK: {
        gas -= <i64>load<u32>(ip, 4)
        if (gas < 0 || <u32>(sp - stackBase) - <u32>load<u16>(ip, 2) > load<u32>(ip, 8)) {
          if (stopAtBlock(ip, sp, gas)) return
          status = INTERRUPTED
          break
        }
        ip += 16
        continue
      }
      case O.PUSH: {
        set(sp, <u64>load<u32>(ip, 4))
        sp += 32
        ip += STEP
        continue
      }
      case O.PUSHBIG: {
        copy(sp, ip + 8)
        sp += 32
        ip += 40
        continue
      }
      case O.DUP: {
        copy(sp, sp - <usize>load<u16>(ip, 2))
        sp += 32
        ip += STEP
        continue
      }
      case O.DUPDUP: {
        copy(sp, sp - <usize>load<u16>(ip, 2))
        copy(sp + 32, sp + 32 - <usize>load<u32>(ip, 4))
        sp += 64
        ip += STEP
        continue
      }
      case O.DUPADD: {
        add(sp - <usize>load<u16>(ip, 2), sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.SWAP: {
        swap(sp - 32, sp - <usize>load<u16>(ip, 2))
        ip += STEP
        continue
      }
      case O.SWAPPOP: {
        copy(sp - <usize>load<u16>(ip, 2), sp - 32)
        sp -= 32
        ip += STEP
        continue
      }
      case O.POPS: {
        sp -= <usize>load<u16>(ip, 2)
        ip += STEP
        continue
      }
      case O.SWAPSUB: {
        sub(sp - 64, sp - 32, sp - 64)
        sp -= 32
        ip += STEP
        continue
      }
      case O.ADDIMM: {
        const a = sp - 32
        const x = load<u64>(a)
        const s = x + <u64>load<u32>(ip, 4)
        store<u64>(a, s)
        if (s < x) {
          const y = load<u64>(a, 8) + 1
          store<u64>(a, y, 8)
          if (y == 0) {
            const z = load<u64>(a, 16) + 1
            store<u64>(a, z, 16)
            if (z == 0) store<u64>(a, load<u64>(a, 24) + 1, 24)
          }
        }
        ip += STEP
        continue
      }
      case O.SUBIMM: {
        set(sp, <u64>load<u32>(ip, 4))
        sub(sp, sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.MULIMM: {
        set(sp, <u64>load<u32>(ip, 4))
        mul(sp, sp - 32, sp - 32)
        ip += STEP
        continue
      }
      case O.ANDIMM: {
        set(sp - 32, load<u64>(sp - 32) & <u64>load<u32>(ip, 4))
        ip += STEP
        continue
      }
      case O.EQIMM: {
        set(sp - 32, u64(isSmall(sp - 32) && load<u64>(sp - 32) == <u64>load<u32>(ip, 4)))
        ip += STEP
        continue
      }
      case O.LTIMM: {
        set(sp - 32, u64(!isSmall(sp - 32) || load<u64>(sp - 32) > <u64>load<u32>(ip, 4)))
        ip += STEP
        continue
      }
      case O.GTIMM: {
        set(sp - 32, u64(isSmall(sp - 32) && load<u64>(sp - 32) < <u64>load<u32>(ip, 4)))
        ip += STEP
        continue
      }
      case O.SHLIMM: {
        const n = load<u32>(ip, 4)
        if (n > 255) set(sp - 32, 0)
        else shiftLeft(sp - 32, n, sp - 32)
        ip += STEP
        continue
      }
      case O.SHRIMM: {
        const n = load<u32>(ip, 4)
        if (n > 255) set(sp - 32, 0)
        else shiftRight(sp - 32, n, sp - 32, 0)
        ip += STEP
        continue
      }
      case O.MLOADIMM: {
        const end = <u64>load<u32>(ip, 4) + 32
        if (end > <u64>memSize) {
          gas = charge(gas, memCost(end))
          if (gas < 0) {
            status = OUT_OF_GAS
            break
          }
          if (!resize(end)) {
            status = INTERRUPTED
            break
          }
        }
        fromBytes(memBase + <usize>load<u32>(ip, 4), sp)
        sp += 32
        ip += STEP
        continue
      }
      case O.MSTOREIMM: {
        const end = <u64>load<u32>(ip, 4) + 32
        if (end > <u64>memSize) {
          gas = charge(gas, memCost(end))
          if (gas < 0) {
            status = OUT_OF_GAS
            break
          }
          if (!resize(end)) {
            status = INTERRUPTED
            break
          }
        }
        sp -= 32
        toBytes(sp, memBase + <usize>load<u32>(ip, 4))
        ip += STEP
        continue
      }
      case O.JUMPTO: {
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPIF: {
        sp -= 32
        if (isZero(sp)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPZERO: {
        sp -= 32
        if (!isZero(sp)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPLT: {
        sp -= 64
        if (!less(sp + 32, sp)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPNOTLT: {
        sp -= 64
        if (less(sp + 32, sp)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPGT: {
        sp -= 64
        if (!less(sp, sp + 32)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPNOTGT: {
        sp -= 64
        if (less(sp, sp + 32)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPEQ: {
        sp -= 64
        if (!equal(sp, sp + 32)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      case O.JUMPNOTEQ: {
        sp -= 64
        if (equal(sp, sp + 32)) {
          ip += STEP
          continue
        }
        ip = <usize>load<u32>(ip, 4)
        if (ip == 0) {
          status = INVALID_JUMP
          break
        }
        continue
      }
      default: {
        status = INVALID_OPCODE
        break
      }
    }
    if (status != SWITCHED) {
      if (!AS_IS && status == OUT_OF_GAS && leaveBlock(ip, sp, gas)) return
      let left: i64 = 0
      if (status == OK || status == REVERTED) left = putGas(gas)
      else {
        if (TRACED) failed(status, sp)
        putGas(0)
      }
      if (!finish(status, out, outSize, left)) return
    }
    if (!TRACED && load<u32>(frame, F_DECODED) != (AS_IS ? 0 : 1)) {
      setChanged(true)
      return
    }
    ip = <usize>load<u32>(frame, F_IP)
    sp = <usize>load<u32>(frame, F_SP)
    gas = takeGas(load<i64>(frame, F_GAS))
    stackBase = <usize>load<u32>(frame, F_STACK)
    self = <usize>load<u32>(frame, F_SELF)
    setMemory(<usize>load<u32>(frame, F_MEM), load<u32>(frame, F_MEMSIZE))
    status = OK
  }
}
