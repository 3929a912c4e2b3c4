import { emptyBytes, equalBytes } from '../../base/encoding/bytes.ts'
import { type EvmStateReader, emptyCodeHash } from '../../chain/state/evmState.ts'
import { decodeAccountRecord } from './drainChanges.ts'
import type { EvmInstance } from './instance.ts'
import { readWordAsBytes } from './words.ts'

/**
 * Returns a reader of the state after the executions so far. Each read goes through `guard`, which checks
 * that the execution may still be used.
 */
export const createExecutionReader = (
  instance: EvmInstance,
  base: EvmStateReader,
  guard: <Result>(act: () => Result) => Result,
): EvmStateReader => ({
  account: (address) => guard(() => decodeAccountRecord(instance, instance.account(address))),
  storage: (address, slot) =>
    guard(() => {
      const record = instance.slot(instance.account(address), slot)
      return readWordAsBytes(instance.bytes, record + instance.at.S_VALUE, 32)
    }),
  code: (codeHash) =>
    guard(() => (equalBytes(codeHash, emptyCodeHash) ? emptyBytes : instance.codeByHash(codeHash))),
  hasStorage: (address) => base.hasStorage(address),
})

/**
 * Returns a reader for tracers, which read in the middle of an instruction: the memory that the instruction
 * shares with the host is restored after each read.
 */
export const createHookReader = (instance: EvmInstance, base: EvmStateReader): EvmStateReader => {
  const start = instance.at.IO
  const aside = new Uint8Array(instance.at.IO_END - start)
  const guard = <Result>(act: () => Result): Result => {
    aside.set(instance.bytes.subarray(start, start + aside.length))
    try {
      return act()
    } finally {
      instance.bytes.set(aside, start)
    }
  }
  return createExecutionReader(instance, base, guard)
}
