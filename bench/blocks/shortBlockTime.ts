import { definePart } from '../support/run/runPart.ts'
import { burstRows, createSide, type ThroughputStage } from './throughput.ts'

/** Blocks at a beat that no peer has, so that there is nothing to compare with. */
export const part = definePart<ThroughputStage>({
  sides: () => [createSide({ name: 'perihelion 100ms', program: 'perihelion', blockTimeMs: 100 })],
  rows: burstRows,
})
