import { equalBytes, noBytes } from '../base/bytes.ts'
import { emptyCodeHash, type WorldReader } from '../chain/world.ts'
import { readAccount } from './changes.ts'
import type { Instance } from './instance.ts'
import { readWordAsBytes } from './words.ts'

/** The state as an execution has left it so far; each read goes through `guard`, which knows whether it still may. */
export const createReader = (
  instance: Instance,
  below: WorldReader,
  guard: <Result>(act: () => Result) => Result,
): WorldReader => ({
  account: (address) => guard(() => readAccount(instance, instance.account(address))),
  storage: (address, slot) =>
    guard(() => {
      const record = instance.slot(instance.account(address), slot)
      return readWordAsBytes(instance.bytes, record + instance.at.S_VALUE, 32)
    }),
  code: (codeHash) =>
    guard(() => (equalBytes(codeHash, emptyCodeHash) ? noBytes : instance.codeByHash(codeHash))),
  hasStorage: (address) => below.hasStorage(address),
})
