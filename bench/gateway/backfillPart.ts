import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { type Backfill, measureBackfill } from './backfill.ts'

const perBlock = 100
/** What a node that is not next door takes for a response, in milliseconds. */
const distance = 5

const hoursOf = (units: number, rate: number): string => (units / rate / 3_600).toFixed(1)

const figuresOf = ({ blocks, seconds, cpuMs, bytesPerBlock }: Backfill, units: number): Measured => {
  if (blocks === 0)
    return { figures: {}, note: 'all blocks were there when the gateway began to serve', isVoid: true }
  const rate = (blocks * units) / seconds
  return {
    figures: { rate, cpuMicros: (cpuMs * 1_000) / (blocks * units), bytes: bytesPerBlock / units },
    note: `${hoursOf(10_000_000, rate)} hours for ten million; bytes are those on the disk`,
  }
}

/** How fast a gateway takes in a chain that is there, from replays in a process of their own. */
export const part = definePart<undefined>({
  sides: () => [ownSide(() => undefined)],
  rows: ({ isQuick }) => [
    {
      name: 'backfill of empty blocks',
      unit: 'block',
      by: 'rate',
      measure: async () => figuresOf(await measureBackfill({ blocks: isQuick ? 3_000 : 20_000 }), 1),
    },
    {
      name: `backfill of blocks of ${perBlock} transactions`,
      unit: 'transaction',
      by: 'rate',
      measure: async () => {
        const found = await measureBackfill({ blocks: isQuick ? 30 : 200, transactions: perBlock })
        return figuresOf(found, perBlock)
      },
    },
    ...[1, 3].map(
      (nodes): Row<undefined> => ({
        // not ours: the name in recorded results
        name: `backfill of empty blocks from ${nodes} of them that take ${distance} ms for an answer`,
        unit: 'block',
        by: 'rate',
        measure: async () =>
          figuresOf(await measureBackfill({ blocks: isQuick ? 1_000 : 3_000, nodes, delay: distance }), 1),
      }),
    ),
    ...(
      [
        ['one block of 100 MB', { blocks: 6, every: 4, transactions: 100, bytes: 1_000_000 }],
        ['64 blocks of 4 MB one after the other', { blocks: 64, transactions: 4, bytes: 1_000_000 }],
      ] as const
    ).map(
      ([name, options]): Row<undefined> => ({
        name: `memory for ${name}`,
        unit: 'block',
        by: 'rssMb',
        measure: async () => {
          const sizes = isQuick ? { ...options, bytes: options.bytes / 10 } : options
          return { figures: { rssMb: (await measureBackfill(sizes)).peakMb } }
        },
      }),
    ),
  ],
})
