import { type Header, headerHash } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { simulatedBlockJson } from '../../chain/json/simulation.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ExecutionBudget } from '../call/budget.ts'
import type { StateAndHeader } from '../call/environment.ts'
import { createOverlay } from '../overlay/overlay.ts'
import { simulateBlock } from './block.ts'
import { SimulationError } from './error.ts'
import { planBlocks } from './plan.ts'

export interface SimulationDependencies {
  readonly evm: Evm
  readonly config: ChainConfig
  readonly budget: ExecutionBudget
  /** For all calls of all blocks together. */
  readonly gasCap: bigint
  /** The state root after changes of the state that the simulation begins with. */
  readonly rootAfter: (changes: StateChanges) => Uint8Array
}

/** What one answer may hold: the blocks are kept as text until all of them are made. */
const maxAnswerBytes = 50 * 2 ** 20

/** Makes blocks on top of one that is there (or pending), each on the state that the one before it left. */
export const simulate = (
  parts: SimulationDependencies,
  stateAndHeader: StateAndHeader,
  simulation: Simulation,
): SimulationOutcome => {
  try {
    return { json: simulateBlocks(parts, stateAndHeader, simulation), failure: undefined }
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    return { json: undefined, failure: { kind: error.kind, message: error.message } }
  }
}

const simulateBlocks = (
  { evm, config, budget, gasCap, rootAfter }: SimulationDependencies,
  place: StateAndHeader,
  simulation: Simulation,
): Uint8Array => {
  const base = place.header
  const hashes = new Map<bigint, Uint8Array>([[base.number, headerHash(base)]])
  let changes = noChanges
  const context = {
    evm,
    config,
    budget,
    gasPool: { left: gasCap },
    isValidated: simulation.validation,
    hasTransfers: simulation.traceTransfers,
    blockHash: (number: bigint) => hashes.get(number) ?? place.blockHash(number),
    rootAfter: (more: readonly StateChanges[]) => rootAfter(more.reduce(mergeChanges, changes)),
  }
  let parent: Header = base
  let size = 0
  const texts: string[] = []
  for (const planned of planBlocks(config, base, simulation.blocks)) {
    budget.check()
    const state = changes.accounts.length === 0 ? place.state : createOverlay(place.state, changes)
    const made = simulateBlock(context, planned, parent, state)
    changes = made.changes.reduce(mergeChanges, changes)
    parent = made.header
    hashes.set(made.header.number, made.json.hash)
    const text = simulatedBlockJson(made.json, simulation.returnFullTransactions)
    size += text.length
    if (size > maxAnswerBytes)
      throw new SimulationError('answer too large', `response too large: at most ${maxAnswerBytes} bytes`)
    texts.push(text)
  }
  return Buffer.from(`[${texts.join(',')}]`)
}
