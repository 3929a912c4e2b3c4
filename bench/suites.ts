import type { RunnablePart } from './support/run/runPart.ts'

/** A name of `npm run bench -- <name>`, with its parts. Each part runs in a process of its own. */
export interface Suite {
  readonly about: string
  readonly parts: Readonly<Record<string, () => Promise<{ readonly part: RunnablePart }>>>
}

/** This table is the only list of what is measured. */
export const suites: Readonly<Record<string, Suite>> = {
  startup: {
    about: 'from the command to the first answer, CPU, idle memory',
    parts: {
      program: () => import('./startup/program.ts'),
      library: () => import('./startup/library.ts'),
    },
  },
  answers: {
    about: 'reads, calls, logs, traces and subscriptions over RPC',
    parts: {
      rpc: () => import('./answers/rpc.ts'),
      starts: () => import('./answers/starts.ts'),
      processes: () => import('./answers/processes.ts'),
      memory: () => import('./answers/memory.ts'),
      subscribers: () => import('./answers/subscribers/part.ts'),
      filters: () => import('./answers/filters.ts'),
      growth: () => import('./answers/growth.ts'),
    },
  },
  blocks: {
    about: 'from a signed transaction to its receipt, and what that is made of: pool, state, store, import',
    parts: {
      'on demand': () => import('./blocks/onDemand.ts'),
      'block time': () => import('./blocks/blockTime.ts'),
      'short block time': () => import('./blocks/shortBlockTime.ts'),
      pool: () => import('./blocks/pool.ts'),
      state: () => import('./blocks/state.ts'),
      store: () => import('./blocks/store.ts'),
      import: () => import('./blocks/import.ts'),
    },
  },
  sending: {
    about:
      'clients that wait for each response, in batches, many and alone, from the first transaction after a start on',
    parts: {
      'on demand': () => import('./sending/onDemand.ts'),
      'block time': () => import('./sending/blockTime.ts'),
    },
  },
  worst: {
    about: 'gas a second at its worst: loops, precompiles, attacks',
    parts: {
      loops: () => import('./worst/loops.ts'),
      precompiles: () => import('./worst/precompiles.ts'),
      attacks: () => import('./worst/attacks.ts'),
    },
  },
  dev: {
    about: 'suites of tests: a snapshot for each, a fixture, a node for each',
    parts: {
      'snapshot a test': () => import('./dev/snapshotPerTest.ts'),
      'node a test': () => import('./dev/nodePerTest.ts'),
    },
  },
  network: {
    about: 'transactions a second, latency and CPU, embedded and under CometBFT',
    parts: {
      embedded: () => import('./network/embedded.ts'),
      'one validator': () => import('./network/oneValidator.ts'),
      'four validators': () => import('./network/fourValidators.ts'),
    },
  },
  indexers: {
    about:
      'trace_filter in a long chain, what the index of calls costs, the feed and PostgreSQL beside a client that asks block by block, and beside Ponder',
    parts: {
      'trace filter': () => import('./indexers/traceFilter.ts'),
      'call index': () => import('./indexers/callIndex.ts'),
      feed: () => import('./indexers/feed.ts'),
      sql: () => import('./indexers/sql.ts'),
    },
  },
  gateway: {
    about:
      'what following, subscribers and reads cost at scale; backfill, proofs, fleets and their subscribers; reads beside those of evmd',
    parts: {
      scale: () => import('./gateway/scale.ts'),
      subscribers: () => import('./gateway/subscribers.ts'),
      backfill: () => import('./gateway/backfillPart.ts'),
      trust: () => import('./gateway/trust.ts'),
      fleet: () => import('./gateway/fleet.ts'),
      reads: () => import('./gateway/reads.ts'),
    },
  },
  light: {
    about: 'what it costs a client to prove everything, beside one that believes its endpoint',
    parts: { light: () => import('./light/part.ts') },
  },
}
