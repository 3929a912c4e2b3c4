import { equalBytes } from '../../base/encoding/bytes.ts'
import { consoleAddress } from '../../chain/abi/consoleLog.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionContext, KeptExecution } from '../../evm/types.ts'

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
      keepExecution: (options) => this.#watchKept(evm, options),
    }
  }

  /** An execution that has read the console's account would not read it again, and is not kept for the next call. */
  #watchKept(evm: Evm, options: ExecutionContext): KeptExecution {
    const watched = (context: ExecutionContext): ExecutionContext => ({
      ...context,
      evmState: this.#watchState(context.evmState, () => {
        hasRead = true
      }),
    })
    let hasRead = false
    const execution = evm.keepExecution(watched(options))
    return {
      attempt: (message, limits) => {
        // Further attempts of one call, such as those of an estimate.
        if (hasRead) this.#isUsed = true
        return execution.attempt(message, limits)
      },
      moveTo: (later, changed) => execution.moveTo(watched(later), changed),
      get isUsable() {
        return !hasRead && execution.isUsable
      },
      get heldBytes() {
        return execution.heldBytes
      },
    }
  }

  #watchState(state: EvmStateReader, onUsed: () => void = () => {}): EvmStateReader {
    return {
      account: (address) => {
        if (equalBytes(address, consoleAddress)) {
          this.#isUsed = true
          onUsed()
        }
        return state.account(address)
      },
      storage: (address, slot) => state.storage(address, slot),
      code: (codeHash) => state.code(codeHash),
      hasStorage: (address) => state.hasStorage(address),
    }
  }
}
