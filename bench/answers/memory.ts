import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenSide, Row, RunOptions, Side } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { openWatched, type WatchedStage } from './chainSide.ts'
import { collectorSettleMs } from './collector.ts'
import { Requests } from './requestLoad.ts'
import { type RequestRow, requestRows } from './requests.ts'

interface MemoryStage extends WatchedStage {
  readonly idleMb: number
}

const open = async (options: RunOptions): Promise<OpenSide<MemoryStage>> => {
  const { stage, ...rest } = await openWatched(options)
  return { stage: { ...stage, idleMb: stage.rssMb() }, ...rest }
}

const side = (options: RunOptions): Side<MemoryStage> => ({
  name: 'perihelion',
  kind: 'ours',
  open: () => open(options),
})

const mixedNames = [
  'eth_blockNumber',
  'eth_getBalance',
  'transaction by hash',
  'receipt',
  'block with hashes',
  'full block',
  'block receipts',
  'logs of one block',
  'eth_call balanceOf',
]
const mixedRows = requestRows.filter(({ name }) => mixedNames.includes(name))

const mixed: RequestRow = {
  name: 'mixed reads',
  connections: [16],
  draw: (chain, index) => (mixedRows[index % mixedRows.length] as RequestRow).draw(chain, index),
}

/** Runs `work`, and tells the most memory that the stage took meanwhile. */
const withPeak = async <T>(stage: MemoryStage, work: () => Promise<T>): Promise<[T, number]> => {
  let peak = stage.rssMb()
  const look = setInterval(() => {
    peak = Math.max(peak, stage.rssMb())
  }, 1000)
  const result = await work().finally(() => clearInterval(look))
  return [result, Math.max(peak, stage.rssMb())]
}

/**
 * The share of the time in which the collector works, and the memory after it, for a minute of reads of all kinds, or as
 * long as `--seconds` says.
 */
export const part = definePart<MemoryStage>({
  sides: (options) => [side(options)],
  rows: ({ isQuick, seconds }): readonly Row<MemoryStage>[] => {
    const load = new Requests(isQuick ? seconds : Math.max(seconds, 60)).toRow(mixed)
    return [
      {
        ...load,
        measure: async (stage, connections) => {
          const [gcBefore, start] = [stage.gcMs(), performance.now()]
          const [{ figures, note }, peak] = await withPeak(stage, async () =>
            load.measure(stage, connections),
          )
          await sleep(collectorSettleMs)
          const share = (stage.gcMs() - gcBefore) / (performance.now() - start)
          const rss = stage.rssMb() / stage.idleMb
          const told = `collector ${(100 * share).toFixed(1)} % of the time, RSS ${rss.toFixed(2)} × that before the reads, never above ${Math.round(peak)} MB`
          return { figures, note: note === undefined ? told : `${told}; ${note}` }
        },
      },
    ]
  },
})
