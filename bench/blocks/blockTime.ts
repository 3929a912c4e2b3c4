import { definePart } from '../support/run/runPart.ts'
import { burstRows, createSide, type ThroughputStage } from './throughput.ts'

/** Blocks at a beat that all of them have: peers know whole seconds only. */
export const part = definePart<ThroughputStage>({
  sides: ({ peers }) => [
    createSide({ name: 'perihelion 1s', program: 'perihelion', blockTimeMs: 1_000 }),
    ...peers
      .filter((name) => name === 'geth' || name === 'anvil')
      .map((name) => createSide({ name: `${name} 1s`, program: name, blockTimeMs: 1_000 })),
  ],
  rows: burstRows,
})
