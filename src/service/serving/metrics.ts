import { AggregatorRegistry, Counter, Gauge, type Registry } from 'prom-client'
import type { Metrics } from './messages.ts'

/** Registers what a serving process uses of the machine. */
export const registerProcessMetrics = (registry: Registry): void => {
  new Counter({
    name: 'perihelion_serving_cpu_seconds_total',
    help: 'Processor time of the serving processes',
    registers: [registry],
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / 1e6)
    },
  })
  new Gauge({
    name: 'perihelion_serving_resident_bytes',
    help: 'Memory of the serving processes',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
}

export interface ServingStats {
  readonly running: number
  /** How often a process that died was replaced. */
  readonly replaced: number
}

/** Registers how many serving processes there are. */
export const registerServingMetrics = (registry: Registry, stats: () => ServingStats): void => {
  new Gauge({
    name: 'perihelion_serving_processes',
    help: 'Serving processes that respond',
    registers: [registry],
    collect() {
      this.set(stats().running)
    },
  })
  new Counter({
    name: 'perihelion_serving_replaced_total',
    help: 'Serving processes that died or hung and were replaced',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(stats().replaced)
    },
  })
}

/** Adds up the metrics of processes. */
export const addUp = (metrics: readonly Metrics[]): Registry =>
  // The types of prom-client ask for one list; its function takes one for each process.
  AggregatorRegistry.aggregate(metrics as unknown as Parameters<typeof AggregatorRegistry.aggregate>[0])

/** Returns what stays of the metrics of a process that has ended: what it counted. */
export const counted = (metrics: Metrics): Metrics =>
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))
