// The machine's exports.
import { ARENA, SWITCHED } from './layout'
import { addCode, clearCode, codeByHash, codeOf } from './codeStore'
import { defineOpcodes } from './decode'
import { resetState, setCode as setAccountCode, setFork } from './state'
import { beginTop, createAddress, endStatus, resetFrames } from './frames'
import { ensureMemory, resetTicks } from './gas'
import { paused, run } from './run'

export { beginTransaction, endTransaction, revertTo, saveBase, dirtyEnd, clearDirty } from './state'
export { account, slot, warmAccount, warmSlot, addBalance, subBalance, setNonce, exists } from './state'
export { addRefund, setMovedCount, setSeed, logCount, refund, interrupted, spread } from './state'
export { paused, setBlobCount } from './run'
export { endGas, returnSize, setReturnSize } from './frames'
export { depositSize } from './frames'
export { codeByHash, codeOf }

let configured: i32 = -1

/** A new execution under a fork's rules. Decoded code stays as long as the fork does. */
export function configure(fork: i32): void {
  setFork(fork)
  resetState()
  resetFrames()
  if (fork == configured) return
  defineOpcodes(fork)
  clearCode()
  configured = fork
}

/** Where the input of the next call goes; 0 when it is too long. */
export function reserveInput(length: u32): usize {
  return ensureMemory(<u64>ARENA + <u64>length + 65536) ? ARENA : 0
}

/** Runs the message; the status, with gas and output in the globals. While `paused` is set, `resume` goes on. */
export function execute(creating: i32, length: u32, gas: i64): i32 {
  resetTicks()
  const status = beginTop(creating != 0, ARENA, length, gas)
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
