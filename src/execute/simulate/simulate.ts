import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import { type Header, headerHash } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { simulatedBlockJson } from '../../chain/json/simulationJson.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import type { StateAndHeader } from '../call/callEnvironment.ts'
import { planBlocks } from './plan.ts'
import { simulateBlock } from './simulatedBlock.ts'
import { SimulationError } from './simulationError.ts'

export interface SimulationDependencies {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly budget: ExecutionBudget
  /** The gas for all calls of all blocks together. */
  readonly gasCap: bigint
  /** Returns the state root after changes of the state that the simulation starts with. */
  readonly rootAfter: (changes: StateChanges) => Uint8Array
}

/** The maximum size of a response in bytes. The blocks are held as text until all of them are simulated. */
const maxResponseBytes = 50 * 2 ** 20

/** Simulates blocks on top of a stored or pending block, each on the state after the previous one. */
export const simulate = (
  dependencies: SimulationDependencies,
  stateAndHeader: StateAndHeader,
  simulation: Simulation,
): SimulationOutcome => {
  try {
    return { json: simulateBlocks(dependencies, stateAndHeader, simulation), failure: undefined }
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    return { json: undefined, failure: { kind: error.kind, message: error.message } }
  }
}

const simulateBlocks = (
  { evm, config, budget, gasCap, rootAfter }: SimulationDependencies,
  stateAndHeader: StateAndHeader,
  simulation: Simulation,
): Uint8Array => {
  const base = stateAndHeader.header
  const hashes = new Map<bigint, Uint8Array>([[base.number, headerHash(base)]])
  let changes = noChanges
  const context = {
    evm,
    config,
    budget,
    gasPool: { left: gasCap },
    isValidated: simulation.validation,
    hasTransfers: simulation.traceTransfers,
    blockHash: (number: bigint) => hashes.get(number) ?? stateAndHeader.blockHash(number),
    rootAfter: (more: readonly StateChanges[]) => rootAfter(more.reduce(mergeChanges, changes)),
  }
  let parent: Header = base
  let size = 0
  const texts: string[] = []
  for (const planned of planBlocks(config, base, simulation.blocks)) {
    budget.check()
    const state =
      changes.accounts.length === 0 ? stateAndHeader.state : createOverlay(stateAndHeader.state, changes)
    const simulated = simulateBlock(context, planned, parent, state)
    changes = simulated.changes.reduce(mergeChanges, changes)
    parent = simulated.header
    hashes.set(simulated.header.number, simulated.json.hash)
    const text = simulatedBlockJson(simulated.json, simulation.returnFullTransactions)
    size += text.length
    if (size > maxResponseBytes)
      throw new SimulationError('answer too large', `response too large: at most ${maxResponseBytes} bytes`)
    texts.push(text)
  }
  return encodeUtf8(`[${texts.join(',')}]`)
}
