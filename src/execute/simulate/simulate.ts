import { type Header, headerHash } from '../../chain/block/header.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { simulatedBlockJson } from '../../chain/json/simulation.ts'
import { mergeChanges, noChanges } from '../../chain/state/mergeChanges.ts'
import type { Simulation, SimulationOutcome } from '../../chain/state/simulation.ts'
import type { WorldChanges } from '../../chain/state/world.ts'
import type { Machine } from '../../evm/machine.ts'
import type { Meter } from '../call/meter.ts'
import type { CallPlace } from '../call/site.ts'
import { overlay } from '../overlay/overlay.ts'
import { makeBlock } from './block.ts'
import { SimulationError } from './error.ts'
import { planBlocks } from './plan.ts'

export interface SimulationParts {
  readonly machine: Machine
  readonly config: ChainConfig
  readonly meter: Meter
  /** For all calls of all blocks together. */
  readonly gasCap: bigint
  /** The state root after changes of the state that the simulation begins with. */
  readonly rootAfter: (changes: WorldChanges) => Uint8Array
}

/** What one answer may hold: the blocks are kept as text until all of them are made. */
const maxAnswerBytes = 50 * 2 ** 20

/** Makes blocks on top of one that is there (or pending), each on the state that the one before it left. */
export const simulate = (
  parts: SimulationParts,
  place: CallPlace,
  simulation: Simulation,
): SimulationOutcome => {
  try {
    return { json: makeBlocks(parts, place, simulation), failure: undefined }
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error
    return { json: undefined, failure: { fault: error.fault, message: error.message } }
  }
}

const makeBlocks = (
  { machine, config, meter, gasCap, rootAfter }: SimulationParts,
  place: CallPlace,
  simulation: Simulation,
): Uint8Array => {
  const base = place.header
  const hashes = new Map<bigint, Uint8Array>([[base.number, headerHash(base)]])
  let changes = noChanges
  const workshop = {
    machine,
    config,
    meter,
    purse: { left: gasCap },
    isValidated: simulation.validation,
    hasTransfers: simulation.traceTransfers,
    blockHash: (number: bigint) => hashes.get(number) ?? place.blockHash(number),
    rootAfter: (more: readonly WorldChanges[]) => rootAfter(more.reduce(mergeChanges, changes)),
  }
  let parent: Header = base
  let size = 0
  const texts: string[] = []
  for (const planned of planBlocks(config, base, simulation.blocks)) {
    meter.check()
    const world = changes.accounts.length === 0 ? place.world : overlay(place.world, changes)
    const made = makeBlock(workshop, planned, parent, world)
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
