import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '../support/load/connection.ts'
import { median } from '../support/load/percentile.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { busyEvery, makeLongChain, rareCalls, recentAddress, spreadAddress } from './longChain.ts'
import { indexBytes, type ServedHome, serveHome, waitForIndex } from './servedHome.ts'

interface LongStage {
  readonly folder: string
  readonly served: ServedHome
  readonly blocks: number
  readonly shortRange: number
  /** From the start of the node to the whole chain in the index. */
  readonly indexing: { readonly seconds: number; readonly cpuMs: number; readonly bytes: number }
}

interface Search {
  readonly fromBlock: number
  readonly toAddress: string
  readonly count?: number
}

const tag = (number: number): string => `0x${number.toString(16)}`

/** The median of many searches, in milliseconds, with the response. */
const searchMs = async (
  { served, blocks }: LongStage,
  { fromBlock, toAddress, count }: Search,
  rounds: number,
): Promise<{ readonly ms: number; readonly answer: string }> => {
  const filter = {
    ...{ fromBlock: tag(fromBlock), toBlock: tag(blocks), toAddress: [toAddress] },
    ...(count !== undefined && { count }),
  }
  const search = async (): Promise<string> =>
    JSON.stringify(await call(served.connection, 'trace_filter', filter))
  const answer = await search()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    if ((await search()) !== answer) throw new Error('two searches for the same have two answers')
    times.push(performance.now() - start)
  }
  return { ms: median(times), answer }
}

/** Compares a search over all blocks with one over the short range at their end. */
const compareRanges = async (
  stage: LongStage,
  whole: string,
  short: string,
  rounds: number,
): Promise<Measured> => {
  const first = stage.blocks - stage.shortRange + 1
  const few = await searchMs(stage, { fromBlock: first, toAddress: short }, rounds)
  const many = await searchMs(stage, { fromBlock: 0, toAddress: whole }, rounds)
  const counts = [few, many].map(({ answer }) => (JSON.parse(answer) as readonly unknown[]).length)
  if (counts.some((count) => count !== rareCalls)) throw new Error(`${counts} calls in place of ${rareCalls}`)
  if (whole === short && few.answer !== many.answer) throw new Error('the responses differ')
  return {
    figures: { times: many.ms / few.ms, ms: many.ms },
    note: `${rareCalls} calls, ${few.ms.toFixed(2)} ms in the short range`,
  }
}

const rowsOf = (growth: string, rounds: number): readonly Row<LongStage>[] => [
  {
    name: `the same calls, ${growth}`,
    unit: 'search',
    by: 'times',
    measure: (stage) => compareRanges(stage, recentAddress, recentAddress, rounds),
  },
  {
    name: `as many calls in all parts, ${growth}`,
    unit: 'search',
    by: 'times',
    measure: (stage) => compareRanges(stage, spreadAddress, recentAddress, rounds),
  },
  {
    name: `index of blocks of which one in ${busyEvery} has a transfer`,
    unit: 'block',
    by: 'rate',
    measure: ({ indexing: { seconds, cpuMs, bytes }, blocks }) => ({
      figures: { rate: blocks / seconds, cpuMicros: (cpuMs * 1000) / blocks, bytes: bytes / blocks },
      note: 'from the start of the node on',
    }),
  },
]

/** `trace_filter` with the index of calls in a long chain. */
export const part = definePart<LongStage>({
  sides: ({ isQuick }) => [
    ownSide(
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'perihelion-bench-calls-'))
        const [blocks, shortRange] = isQuick ? [2_000, 200] : [1_000_000, 10_000]
        const home = join(folder, 'home')
        await makeLongChain({ home, blocks, shortRange })
        const start = performance.now()
        const served = await serveHome(home, '--index.calls')
        await waitForIndex(served, recentAddress)
        const indexing = {
          seconds: (performance.now() - start) / 1000,
          cpuMs: served.cpuMs(),
          bytes: indexBytes(home),
        }
        return { folder, served, blocks, shortRange, indexing }
      },
      async ({ folder, served }) => {
        await served.close()
        rmSync(folder, { recursive: true })
      },
    ),
  ],
  rows: ({ isQuick }) =>
    rowsOf(isQuick ? '200 → 2,000 blocks' : '10,000 → 1,000,000 blocks', isQuick ? 10 : 200),
})
