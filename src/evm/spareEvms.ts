import { createEvm, type Evm } from './evm.ts'
import type { EvmModules } from './host/evmModules.ts'
import { precompilesAt } from './precompiles/precompileTable.ts'

/** As many as a node on one thread uses: one for its blocks and one for calls. */
const maxSpares = 2

const spares: Evm[] = []

/**
 * Returns an EVM that nobody uses any more, or a new one. Its memory and the code that it has decoded serve the next node of
 * the process; it knows nothing of a chain.
 */
export const takeEvm = (modules: EvmModules): Evm => spares.pop() ?? createEvm(modules, precompilesAt)

/** Keeps an EVM for the next node. Whoever returns it must not use it again. */
export const returnEvm = (evm: Evm): void => {
  if (spares.length < maxSpares) spares.push(evm)
}
