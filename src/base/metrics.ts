import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'

const nanosecond = 1e-9

/** The metrics of the process, which its services share. */
let processRegistry: Registry | undefined
let uncaughtErrors: Counter | undefined

/**
 * Returns the metrics of the process. There is one registry for all services: it observes the process as long as it runs, and
 * would keep everything alive that a service registers in it.
 */
export const processMetrics = (): Registry => {
  processRegistry ??= createProcessRegistry()
  return processRegistry
}

/** Counts an error that nothing in the program caught. */
export const countUncaughtError = (): void => {
  processMetrics()
  uncaughtErrors?.inc()
}

/** Returns the text of `/metrics`: the metrics of the process and those of a service. */
export const renderMetrics = async (registry: Pick<Registry, 'metrics'>): Promise<string> =>
  `${await processMetrics().metrics()}\n${await registry.metrics()}`

const createProcessRegistry = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'perihelion_' })
  uncaughtErrors = new Counter({
    name: 'perihelion_uncaught_errors_total',
    help: 'Errors that nothing in the program caught; the process lives on, each is a bug',
    registers: [registry],
  })
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  new Gauge({
    name: 'perihelion_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape',
    labelNames: ['quantile'],
    registers: [registry],
    collect() {
      for (const percentile of [50, 99, 100]) {
        this.set({ quantile: String(percentile / 100) }, delay.percentile(percentile) * nanosecond)
      }
      delay.reset()
    },
  })
  return registry
}
