import type { ChangedKeys } from '../../chain/state/evmState.ts'
import type { EvmInstance } from './instance.ts'
import { writeBytesAsWord } from './words.ts'

/** Reads again what the instance knows of the state and what is not the same any more. */
export const renewState = (instance: EvmInstance, { accounts, slots }: ChangedKeys): void => {
  const { run, at } = instance
  for (const { address, isReplaced } of accounts) {
    writeBytesAsWord(instance.bytes, at.IO_WORD, address)
    run.renewAccount(at.IO_WORD, isReplaced ? 1 : 0)
  }
  for (const { address, slot } of slots) {
    writeBytesAsWord(instance.bytes, at.IO_WORD, address)
    writeBytesAsWord(instance.bytes, at.TEMP, slot)
    run.renewSlot(at.IO_WORD, at.TEMP)
  }
}
