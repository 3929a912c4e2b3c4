import { definePart } from '../support/run/runPart.ts'
import { aloneRow, burstRows, createSide, diskRow, type ThroughputStage } from './throughput.ts'

/** Blocks as soon as there are transactions. anvil takes seconds for a hundred of them, and gets fewer. */
export const part = definePart<ThroughputStage>({
  sides: ({ peers }) => [
    createSide({ name: 'perihelion', program: 'perihelion' }),
    ...peers
      .filter((name) => name === 'geth' || name === 'anvil')
      .map((name) => createSide({ name, program: name, share: name === 'anvil' ? 0.1 : 1 })),
  ],
  rows: (options) => [aloneRow(options), ...burstRows(options), diskRow(options)],
})
