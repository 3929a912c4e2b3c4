// The frames of calls and creations. They lie in linear memory, so depth costs no host stack.
import {
  ARENA_SLACK, C_BYTES, C_STREAM, CREATING, F_CODE, F_DECODED, F_FLAGS, F_GAS, F_GIVEN, F_IP, F_JOURNAL, F_KIND,
  F_LOGCOUNT, F_LOGS, F_MEM, F_MEMSIZE, F_REFUND, F_SELF, F_SP, F_STACK, FRAME_SIZE, FRAMES, MEMORY_LIMIT, TEMP,
} from '../layout'
import { hostExit } from '../host'
import { dropOnce, heat } from '../code/codeStore'
import { arena, ensureMemory, give, take } from '../heap'
import { interrupt } from '../state/state'
import { memBase, memSize, setMemory } from '../gas'
import { set } from '../words/u256'

/** The running frame. */
export let frame: usize = FRAMES
/** What the last call returned, in a block of the heap that grows. */
export let returnData: usize = 0
export let returnSize: u32 = 0
let returnRoom: u32 = 0
export const TARGET: usize = TEMP + 544

/** Another frame runs. */
@inline
export function setFrame(at: usize): void {
  frame = at
}

/** The last call returned nothing. */
@inline
export function dropReturn(): void {
  returnSize = 0
}

/** No frame runs: nothing holds on to code or memory. */
export function resetFrames(): void {
  // Frames are left standing when an execution is given up.
  for (let f = FRAMES; f <= frame; f += FRAME_SIZE) closeFrame(f)
  frame = FRAMES
  setMemory(arena, 0)
}

/** Init code is its frame's own. */
@inline
export function closeFrame(at: usize): void {
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
export function depth(): u32 {
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
export function openFrame(at: usize, kind: i32, self: usize, code: usize, gas: i64, flags: u32, stack: usize): bool {
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

export function remember(at: usize, gas: i64, mark: usize, marksLogs: usize, marksCount: u32, marksRefund: i64): void {
  store<u32>(at, <u32>mark, F_JOURNAL)
  store<u32>(at, <u32>marksLogs, F_LOGS)
  store<u32>(at, marksCount, F_LOGCOUNT)
  store<i64>(at, marksRefund, F_REFUND)
  store<i64>(at, gas, F_GIVEN)
}

/** What comes back from a call that opened no frame. */
export let quickGas: i64 = 0

@inline
export function setQuickGas(gas: i64): void {
  quickGas = gas
}

export function quick(status: i32, given: i64): i32 {
  if (TRACED) hostExit(given - quickGas, returnData, returnSize, status)
  return status
}

/** The instruction's result goes to the stack of the running frame, which goes on with the gas that came back. */
export function deliver(success: bool, gas: i64): void {
  const sp = <usize>load<u32>(frame, F_SP)
  set(sp, success ? 1 : 0)
  store<u32>(frame, <u32>(sp + 32), F_SP)
  store<i64>(frame, load<i64>(frame, F_GAS) + gas, F_GAS)
}

export function suspend(ip: usize, sp: usize, gas: i64): void {
  store<u32>(frame, <u32>ip, F_IP)
  store<u32>(frame, <u32>sp, F_SP)
  store<i64>(frame, gas, F_GAS)
  store<u32>(frame, memSize, F_MEMSIZE)
}
