import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CriteriaMemory } from '../../src/events/criteriaMemory.ts'
import { FilterManager } from '../../src/events/filters/filterManager.ts'
import { ownSide } from '../support/run/inProcess.ts'
import { definePart } from '../support/run/runPart.ts'

const timeoutMs = 300_000

const createCollector = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
let collect: (() => void) | undefined

/** Bytes in use after everything that nobody holds is gone. */
const inUse = async (): Promise<number> => {
  for (let round = 0; round < 3; round++) {
    collect ??= createCollector()
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const failIfPolled = (): never => {
  throw new Error('nobody polls')
}

/** Filters without a cap for each client, whose clock is moved by hand. */
class AbandonedFilters {
  #now = 0
  readonly #filters = new FilterManager(
    {
      filterTimeout: timeoutMs,
      filterCap: Number.POSITIVE_INFINITY,
      logsCap: 10_000,
      logsBytesCap: 25_000_000,
    },
    {
      chain: {
        head: () => ({ number: 1, hash: new Uint8Array(32), time: 0 }),
        blocks: { hash: failIfPolled },
        logs: { search: failIfPolled },
      },
      events: { onHead: () => () => {}, onPending: () => () => {} },
      memory: new CriteriaMemory(Number.POSITIVE_INFINITY),
      now: () => this.#now,
    },
  )

  /** Makes filters of all kinds, lets their time pass, and looks at the memory before and after. */
  async abandon(count: number): Promise<{ full: number; empty: number; longest: number }> {
    for (let index = 0; index < count; index++) this.#make(index)
    const full = await inUse()
    this.#now += timeoutMs
    let longest = 0
    for (let more = true; more; ) {
      const start = performance.now()
      more = this.#filters.sweep()
      longest = Math.max(longest, performance.now() - start)
    }
    if (this.#filters.size !== 0) throw new Error(`${this.#filters.size} filters are left`)
    return { full, empty: await inUse(), longest }
  }

  close(): void {
    this.#filters.close()
  }

  #make(index: number): void {
    const owner = `10.0.${index % 100}.1`
    if (index % 3 === 0) this.#filters.addBlocks(owner)
    else if (index % 3 === 1) this.#filters.addPending(owner)
    else {
      const latest = { kind: 'tag', tag: 'latest' } as const
      const blocks = { kind: 'range', from: latest, to: latest } as const
      this.#filters.addLogs(
        { blocks, addresses: [new Uint8Array(20)], topics: [[new Uint8Array(32)]] },
        owner,
      )
    }
  }
}

/** Filters that were made and left: what they take, and that it is free again when their time has passed. */
export const part = definePart<AbandonedFilters>({
  sides: () => [
    ownSide(
      () => new AbandonedFilters(),
      (filters) => filters.close(),
    ),
  ],
  rows: ({ isQuick }) => {
    const count = isQuick ? 20_000 : 1_000_000
    return [
      {
        name: `${count.toLocaleString('en')} filters made and left`,
        unit: 'filter',
        by: 'bytes',
        measure: async (filters) => {
          // Once before, so that code that is compiled for it is not taken for filters.
          await filters.abandon(1_000)
          const before = await inUse()
          const { full, empty, longest } = await filters.abandon(count)
          const change = ((empty - before) / before) * 100
          return {
            figures: { bytes: (full - before) / count, ms: longest },
            note: `ms: the longest sweep; memory afterwards ${change.toFixed(1)} % off`,
          }
        },
      },
    ]
  },
})
