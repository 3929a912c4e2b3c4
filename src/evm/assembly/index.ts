// The machine's exports.
import { ARENA_SLACK, SWITCHED } from './layout'
import { addCode, clearCode, codeByHash, codeOf, trimCode } from './code/codeStore'
import { defineOpcodes } from './code/fixedGas'
import { resetState, setFork } from './state/state'
import { setCode as setAccountCode } from './state/changes'
import { beginTop, endStatus } from './frames/end'
import { createAddress } from './frames/create'
import { resetFrames } from './frames/frames'
import { resetTicks, setMemory } from './gas'
import { arena, ensureMemory } from './heap'
import { forgetBlockHashes } from './run/environment'
import { paused } from './run/leave'
import { run } from './run/run'

export { beginTransaction, endTransaction } from './state/state'
export { revertAll } from './state/journal'
export { saveBase } from './state/accounts'
export { firstDirty, clearDirty } from './state/dirty'
export { account } from './state/accounts'
export { slot, warmSlot } from './state/slots'
export { warmAccount, addBalance, subBalance, setNonce, exists } from './state/changes'
export { renewAccount } from './state/accounts'
export { renewSlot } from './state/slots'
export { stateBytes } from './state/state'
export { addRefund, refund, interrupted } from './state/state'
export { setMovedCount } from './state/precompileAddresses'
export { setSeed, hashBytes } from './state/tables'
export { lastLog, logCount } from './state/logs'
export { forgetBlockHashes, setBlobCount } from './run/environment'
export { paused } from './run/leave'
export { endGas } from './frames/end'
export { reserveReturn, returnData, returnSize } from './frames/frames'
export { codeWork, reserveCode, setPatience, trimCode } from './code/codeStore'
export { depositSize } from './frames/end'
export { maxCode, setMaxCode } from './frames/create'
export { reserveText, takeText, textStart } from './trace/text'
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
