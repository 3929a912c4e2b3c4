import { Counter, type Registry } from 'prom-client'
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

/** Registers the metrics of the engine's calls, which are read at each scrape. */
export const registerEngineMetrics = (
  registry: Registry,
  calls: () => EngineCalls,
  ahead: () => AheadStats,
): void => {
  const counter = (name: string, help: string, member: 'count' | 'seconds') =>
    new Counter({
      name,
      help,
      labelNames: ['call'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [call, entry] of calls()) this.inc({ call }, entry[member])
      },
    })
  counter('perihelion_abci_calls_total', 'Calls of CometBFT to the application by kind', 'count')
  counter('perihelion_abci_seconds_total', 'Time from a call of CometBFT to its answer by kind', 'seconds')
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
