import { Counter, Gauge, type Registry } from 'prom-client'
import type { AheadStats } from './application.ts'

/** The number and duration of the engine's calls since the start, by call. */
export type EngineCalls = ReadonlyMap<string, { readonly count: number; readonly seconds: number }>

/** Counts the engine's calls. */
export class EngineCallStats {
  readonly #calls = new Map<string, { count: number; seconds: number }>()

  record(call: string, milliseconds: number): void {
    let entry = this.#calls.get(call)
    if (entry === undefined) {
      entry = { count: 0, seconds: 0 }
      this.#calls.set(call, entry)
    }
    entry.count++
    entry.seconds += milliseconds / 1000
  }

  get calls(): EngineCalls {
    return this.#calls
  }
}

/** The transactions of the pool that the engine does not hold yet, and so does not relay. */
export interface RelayStats {
  /** The number that is to be sent to the engine. */
  readonly waiting: number
  /** The number that the next block could not hold, because they pay too little or wait for ones before them. */
  readonly held: number
  /** The number that the engine did not take, and that are tried again. */
  readonly retried: number
  /** How often the engine did not take something since the start. */
  readonly failures: number
}

/** What the validator of a node signed since the start. */
export interface ValidatorStats {
  /** Its voting power; 0 if it is not among the validators. */
  readonly power: number
  readonly signed: number
  /** The number of blocks that were decided without its signature. */
  readonly missed: number
  /** The height of what it signed last; 0 if it signed nothing, or signs elsewhere. */
  readonly signHeight: number
}

/** Statistics of an engine outside of this process. */
export interface EngineStats {
  readonly validator: ValidatorStats
  readonly calls: EngineCalls
  readonly relay: RelayStats
  /** Why the engine decides no blocks; undefined if nothing is known to be wrong with it. */
  readonly failure: string | undefined
}

/** The calls whose series are there before the engine made one. */
const abciCalls = [
  ...[
    'info',
    'initChain',
    'checkTx',
    'prepareProposal',
    'processProposal',
    'finalizeBlock',
    'commit',
    'query',
  ],
  ...['listSnapshots', 'offerSnapshot', 'loadSnapshotChunk', 'applySnapshotChunk'],
]

const registerValidatorMetrics = (registry: Registry, stats: () => ValidatorStats): void => {
  const registers = [registry]
  new Gauge({
    name: 'perihelion_validator_power',
    help: 'Voting power of the validator of this node; 0 if it is not among the validators',
    registers,
    collect() {
      this.set(stats().power)
    },
  })
  new Gauge({
    name: 'perihelion_sign_state_height',
    help: 'Height of what the validator of this node signed last; 0 if it signed nothing, or signs elsewhere',
    registers,
    collect() {
      this.set(stats().signHeight)
    },
  })
  const counter = (name: 'signed' | 'missed', help: string) =>
    new Counter({
      name: `perihelion_validator_${name}_blocks_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(stats()[name])
      },
    })
  counter('signed', 'Blocks that the validator of this node signed, since the start')
  counter(
    'missed',
    'Blocks that were decided without the signature of the validator of this node, since the start',
  )
}

/** Registers the metrics of the engine, which are read at each scrape. */
export const registerEngineMetrics = (
  registry: Registry,
  stats: () => EngineStats,
  ahead: () => AheadStats,
): void => {
  registerValidatorMetrics(registry, () => stats().validator)
  const counter = (name: string, help: string, member: 'count' | 'seconds') =>
    new Counter({
      name,
      help,
      labelNames: ['call'],
      registers: [registry],
      collect() {
        this.reset()
        for (const call of abciCalls) this.inc({ call }, 0)
        for (const [call, entry] of stats().calls) this.inc({ call }, entry[member])
      },
    })
  counter('perihelion_abci_calls_total', 'Calls of CometBFT to the application, by kind', 'count')
  counter('perihelion_abci_seconds_total', 'Time from a call of CometBFT to its response, by kind', 'seconds')
  new Gauge({
    name: 'perihelion_relay_transactions',
    help: 'Transactions of the pool that CometBFT does not relay yet, by reason',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { waiting, held, retried } = stats().relay
      this.set({ state: 'waiting' }, waiting)
      this.set({ state: 'held' }, held)
      this.set({ state: 'retried' }, retried)
    },
  })
  new Gauge({
    name: 'perihelion_engine_failed',
    help: 'Whether CometBFT does not respond, its consensus failed, or its remote signer is away',
    registers: [registry],
    collect() {
      this.set(stats().failure === undefined ? 0 : 1)
    },
  })
  new Counter({
    name: 'perihelion_relay_failures_total',
    help: 'Requests and transactions that CometBFT rejected',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(stats().relay.failures)
    },
  })
  new Counter({
    name: 'perihelion_blocks_executed_ahead_total',
    help: 'Proposals executed before they were decided, by whether the outcome was used or dropped',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(ahead())) this.inc({ outcome }, count)
    },
  })
}
