import type { Header } from '../chain/block/header.ts'
import type { Activation, ChainConfig } from '../chain/config/chainConfig.ts'
import {
  type ChainFindings,
  checkFirstBlock,
  findMissingContracts,
  isActiveAt,
} from '../chain/genesis/checks.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import type { EvmStateReader } from '../chain/state/evmState.ts'
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
  const { problems, warnings } = checkFirstBlock(config, head, state, next)
  // A cause that has a name is told without the blocks that fail for it.
  if (problems.length > 0 || warnings.length > 0) return { problems, warnings }
  const chain = { evm, config, state, head }
  return {
    problems: findFailingForks(chain, (activation) => isActiveAt(activation, next)),
    warnings: findFailingForks(chain, (activation) => !isActiveAt(activation, next)),
  }
}

/** Returns what is wrong with the forks that are ahead of a living chain. */
export const findForkWarnings = (chain: CheckedChain): readonly string[] => {
  const { config, state, head } = chain
  const ahead = config.activations.filter((activation) => !isActiveAt(activation, head))
  if (ahead.length === 0) return []
  const { problems, warnings } = findMissingContracts({ activations: ahead }, state, head)
  const named = [...problems, ...warnings]
  return named.length > 0 ? named : findFailingForks(chain, (activation) => !isActiveAt(activation, head))
}

/** Executes an empty block at each activation over the state of now, and returns why those fail that do. */
const findFailingForks = (
  { evm, config, state, head }: CheckedChain,
  filter: (activation: Activation) => boolean,
): readonly string[] => {
  const problems = new Set<string>()
  for (const activation of config.activations.filter(filter)) {
    const { name, by, at } = activation
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
      problems.add(`no block can be made with ${name} (${by} ${at}): ${(error as Error).message}`)
    }
  }
  return [...problems]
}
