import { ownSide } from '../support/run/inProcess.ts'
import { definePart } from '../support/run/runPart.ts'
import { measureBackfill } from './backfill.ts'

/** How fast a gateway takes in a chain that is there, from a replay in a process of its own. */
export const part = definePart<undefined>({
  sides: () => [ownSide(() => undefined)],
  rows: ({ isQuick }) => [
    {
      name: 'backfill of empty blocks',
      unit: 'block',
      by: 'rate',
      measure: async () => {
        const { blocks, seconds } = await measureBackfill(isQuick ? 3_000 : 20_000, 0)
        return { figures: { rate: blocks / seconds } }
      },
    },
    {
      name: 'backfill of blocks of 100 transactions',
      unit: 'transaction',
      by: 'rate',
      measure: async () => {
        const { transactions, seconds } = await measureBackfill(isQuick ? 30 : 200, 100)
        return { figures: { rate: transactions / seconds } }
      },
    },
  ],
})
