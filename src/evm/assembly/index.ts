// The machine's exports.
import { ARENA_SLACK, SWITCHED } from './layout'
import { addCode, clearCode, codeByHash, codeOf, trimCode } from './codeStore'
import { defineOpcodes } from './decode'
import { resetState, setCode as setAccountCode, setFork } from './state'
import { beginTop, createAddress, endStatus, resetFrames } from './frames'
import { resetTicks, setMemory } from './gas'
import { arena, ensureMemory } from './heap'
import { forgetBlockHashes, paused, run } from './run'

export { beginTransaction, endTransaction, revertAll, saveBase, firstDirty, clearDirty } from './state'
export { account, slot, warmAccount, warmSlot, addBalance, subBalance, setNonce, exists } from './state'
export { renewAccount, renewSlot, stateBytes } from './state'
export { addRefund, setMovedCount, setSeed, hashBytes, lastLog, logCount, refund, interrupted } from './state'
export { forgetBlockHashes, paused, setBlobCount } from './run'
export { endGas, reserveReturn, returnData, returnSize } from './frames'
export { codeWork, reserveCode, setPatience, trimCode } from './codeStore'
export { depositSize, maxCode, setMaxCode } from './frames'
export { reserveText, takeText, textStart } from './text'
export { codeByHash, codeOf }

let configured: i32 = -1

/** A new execution under a fork's rules. Decoded code stays as long as the fork does. */
export function configure(fork: i32): void {
  setFork(fork)
  resetState()
  resetFrames()
  forgetBlockHashes()
  if (fork == configured) return trimCode()
  defineOpcodes(fork)
  clearCode()
  configured = fork
}

/** Where the input of the next call goes; 0 when it is too long. */
export function reserveInput(length: u32): usize {
  if (!ensureMemory(<u64>arena + <u64>length + <u64>ARENA_SLACK)) return 0
  setMemory(arena, length)
  return arena
}

/** Runs the message; the status, with gas and output in the globals. While `paused` is set, `resume` goes on. */
export function execute(creating: i32, length: u32, gas: i64): i32 {
  resetTicks()
  const status = beginTop(creating != 0, length, gas)
  if (status == SWITCHED) return resume()
  resetFrames()
  return endStatus
}

export function resume(): i32 {
  run()
  if (!paused) resetFrames()
  return endStatus
}

/** Writes a contract's future address as a word. */
export function addressOf(caller: usize, nonce: u64, word: usize): void {
  createAddress(caller, nonce, word)
}

/** Gives an account code that is at `bytes`; no code when the length is 0. */
export function deployCode(p: usize, hash: usize, bytes: usize, length: u32): void {
  setAccountCode(p, hash, length == 0 ? 0 : addCode(hash, bytes, length))
}

// The TypeScript side reads the layout from the module itself.
export * from './layout'
