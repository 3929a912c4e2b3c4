import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Filters } from '../../src/events/filters/filters.ts'

/**
 * `npm run bench -- abandonedFilters`: FILTERS (1,000,000) filters of all kinds are made and left, five minutes pass at once,
 * and the memory that they took has to be free again. The cap of a client is raised for it.
 */
const count = Number(process.env.FILTERS ?? 1_000_000)
const timeoutMs = 300_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes in use after everything that nobody holds is gone. */
const inUse = async (): Promise<number> => {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let now = 0
const nowhere = (): never => {
  throw new Error('nobody polls')
}
const filters = new Filters(
  {
    filterTimeout: timeoutMs,
    filterCap: Number.POSITIVE_INFINITY,
    logsCap: 10_000,
    logsBytesCap: 25_000_000,
  },
  {
    chain: {
      head: () => ({ number: 1, hash: new Uint8Array(32), time: 0 }),
      blocks: { hash: nowhere },
      logs: { search: nowhere },
    },
    events: { onHead: () => () => {}, onPending: () => () => {} },
    now: () => now,
  },
)
const latest = { kind: 'tag', tag: 'latest' } as const
const make = (index: number): void => {
  const owner = `10.0.${index % 100}.1`
  if (index % 3 === 0) filters.addBlocks(owner)
  else if (index % 3 === 1) filters.addPending(owner)
  else {
    const blocks = { kind: 'range', from: latest, to: latest } as const
    filters.addLogs({ blocks, addresses: [new Uint8Array(20)], topics: [[new Uint8Array(32)]] }, owner)
  }
}

/** Once before, so that code that is compiled for it is not taken for filters. */
const round = async (filtersToMake: number): Promise<{ full: number; empty: number; longest: number }> => {
  for (let index = 0; index < filtersToMake; index++) make(index)
  const full = await inUse()
  now += timeoutMs
  let longest = 0
  for (let more = true; more; ) {
    const start = performance.now()
    more = filters.sweep()
    longest = Math.max(longest, performance.now() - start)
  }
  if (filters.size !== 0) throw new Error(`${filters.size} filters are left`)
  return { full, empty: await inUse(), longest }
}

await round(1_000)
const before = await inUse()
const { full, empty, longest } = await round(count)
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)
const change = ((empty - before) / before) * 100
process.stdout.write(
  `${count} filters: ${mb(before)} MB before, ${mb(full)} MB with them (${((full - before) / count).toFixed(0)} bytes ` +
    `each), ${mb(empty)} MB after they ended (${change.toFixed(1)} %); longest sweep ${longest.toFixed(0)} ms\n`,
)
filters.close()
process.exitCode = Math.abs(change) <= 5 ? 0 : 1
