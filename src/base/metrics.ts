import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

const nanosecond = 1e-9

/** Creates the registry behind `/metrics`, with the metrics of the process. */
export const createMetricsRegistry = (): Registry => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'perihelion_' })
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
