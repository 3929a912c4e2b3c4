import { equalBytes } from '../base/encoding/bytes.ts'
import { consoleAddress } from '../chain/console/consoleLog.ts'
import type { EvmStateReader } from '../chain/state/evmState.ts'
import type { Evm } from '../evm/evm.ts'

/**
 * Sees whether code calls the address of the console: the EVM reads its account then. Blocks that do not need not be
 * traced for what contracts wrote.
 */
export class ConsoleWatch {
  #isUsed = false

  /** Returns whether the console was called since this was asked the last time. */
  takeIsUsed(): boolean {
    const isUsed = this.#isUsed
    this.#isUsed = false
    return isUsed
  }

  /** Returns the EVM with the watch on the states that it runs on. */
  watch(evm: Evm): Evm {
    return {
      ...evm,
      createExecution: (options) =>
        evm.createExecution({ ...options, evmState: this.#watchState(options.evmState) }),
    }
  }

  #watchState(state: EvmStateReader): EvmStateReader {
    return {
      account: (address) => {
        if (equalBytes(address, consoleAddress)) this.#isUsed = true
        return state.account(address)
      },
      storage: (address, slot) => state.storage(address, slot),
      code: (codeHash) => state.code(codeHash),
      hasStorage: (address) => state.hasStorage(address),
    }
  }
}
