import { readValidatorConfig } from '../../chain/validators/validators.ts'
import type { Driver, DriverParts, EngineOptions } from '../engine.ts'
import { createLoneControl, LoneNetwork } from '../soloNetwork.ts'
import { ValidatorSets } from '../validatorSets.ts'
import { SoloEngine } from './soloEngine.ts'

/** A chain that this process alone makes, or only serves. */
export const createSoloDriver = (
  options: Exclude<EngineOptions, { kind: 'cometbft' }>,
  { config, pool, producer, blocks, state, takeBack, log }: DriverParts,
): Driver => {
  const makesBlocks = options.kind === 'solo'
  const engine = new SoloEngine(
    options.kind === 'solo' ? options : { blockTimeMs: undefined, createEmptyBlocks: false },
    {
      hasWork: () => producer.hasWork(),
      waiting: () => pool.counts.pending,
      makeBlock: () => producer.makeBlock(),
      log,
    },
  )
  const isOfValidators = !makesBlocks && readValidatorConfig(config.source) !== undefined
  const sets = isOfValidators ? new ValidatorSets(state) : undefined
  pool.events.on('pending', () => engine.wake())
  const start = async (): Promise<void> => {
    if (makesBlocks) engine.start()
  }
  const setHeadBack = async (number: number): Promise<void> => {
    await engine.stop()
    try {
      await takeBack(number)
    } finally {
      await start()
    }
  }
  return {
    network: new LoneNetwork({ blocks, producer, sets }),
    control: createLoneControl({ makesBlocks, producer, setHeadBack }),
    isOnDemand: makesBlocks && engine.isOnDemand,
    facts: {},
    calls: undefined,
    start,
    stop: () => engine.stop(),
  }
}
