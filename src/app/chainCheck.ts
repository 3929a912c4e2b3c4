import type { Header } from '../chain/block/header.ts'
import { type Activation, type ChainConfig, forkAt } from '../chain/config/chainConfig.ts'
import {
  type ChainFindings,
  checkFirstBlock,
  findMissingContracts,
  findTimeWarnings,
  isActiveAt,
} from '../chain/genesis/checks.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import type { EvmStateReader } from '../chain/state/evmState.ts'
import { checkGasLimit } from '../evm/block/largestBlockGas.ts'
import { SystemCallError } from '../evm/block/systemCalls.ts'
import type { Evm } from '../evm/evm.ts'
import { InMemoryState } from '../evm/stateTest/inMemoryState.ts'
import { toBlockInputs } from './blockInputs.ts'
import { executeBlock } from './executeBlock.ts'

/** The chain at one of its blocks. */
export interface CheckedChain {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly state: EvmStateReader
  readonly head: Header
}

/** Checks a genesis that an engine is to begin a chain with; `now` is in seconds since 1970. */
export const checkNewChain = (genesis: Genesis, evm: Evm, now: bigint): ChainFindings => {
  const { config } = genesis
  const state = new InMemoryState([])
  state.apply(genesis.changes)
  const head = genesis.header(new Uint8Array(32))
  const next = { number: 1n, timestamp: now > head.timestamp ? now : head.timestamp + 1n }
  const { problems: first, warnings: ofFirst } = checkFirstBlock(config, head, state, next)
  const warnings = [...findTimeWarnings(head.timestamp, now), ...ofFirst]
  const problems = first.length > 0 ? first : checkGasLimit(config, head.gasLimit, next.timestamp)
  // A problem that has a name is reported without the blocks that fail for it.
  if (problems.length > 0) return { problems, warnings }
  const chain = { evm, config, state, head }
  return {
    problems: findFailingForks(chain, (activation) => isActiveAt(activation, next)),
    warnings: [...warnings, ...findFailingForks(chain, (activation) => !isActiveAt(activation, next))],
  }
}

/** Returns what is wrong with the forks that are ahead of a living chain. */
export const findForkWarnings = (chain: CheckedChain): readonly string[] => {
  const { config, state, head } = chain
  const ahead = config.activations.filter((activation) => !isActiveAt(activation, head))
  if (ahead.length === 0) return []
  const { problems, warnings } = findMissingContracts({ activations: ahead }, state, head)
  const failing = findFailingForks(chain, (activation) => !isActiveAt(activation, head))
  return [...problems, ...warnings, ...failing]
}

/**
 * Executes an empty block at each activation over the state of now, and returns why those fail that do, each reason once.
 * Missing contracts are left out: `findMissingContracts` tells them with their remedy.
 */
const findFailingForks = (
  { evm, config, state, head }: CheckedChain,
  filter: (activation: Activation) => boolean,
): readonly string[] => {
  const problems = new Map<string, string>()
  for (const activation of config.activations.filter(filter)) {
    const { by, at } = activation
    const parent = by === 'block' && at > head.number ? { ...head, number: at - 1n } : head
    const time = by === 'time' && at > head.timestamp ? at : head.timestamp + 1n
    const inputs = toBlockInputs(parent, new Uint8Array(32), {
      time: Number(time),
      beneficiary: new Uint8Array(20),
      engineHash: new Uint8Array(32),
      gasLimit: head.gasLimit,
    })
    const environment = {
      evm,
      config,
      state,
      blockHash: () => new Uint8Array(32),
      stateRoot: () => new Uint8Array(32),
    }
    try {
      executeBlock(environment, inputs, [])
    } catch (error) {
      if (error instanceof SystemCallError && error.isMissing) continue
      const { message } = error as Error
      const fork = forkAt(config, parent.number + 1n, time, true)
      if (!problems.has(message)) problems.set(message, `no block can be made with ${fork}: ${message}`)
    }
  }
  return [...problems.values()]
}
