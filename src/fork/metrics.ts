import { Counter, type Registry } from 'prom-client'
import type { RemoteCounters } from './remote/remoteClient.ts'

/** Registers the metrics of the remote of a forked chain, which are read at each scrape. */
export const registerForkMetrics = (registry: Registry, counters: () => RemoteCounters): void => {
  const counter = (name: string, help: string, read: (counters: RemoteCounters) => number): void => {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset()
        this.inc(read(counters()))
      },
    })
  }
  counter(
    'perihelion_remote_calls_total',
    'Calls that were sent to the remote node of a forked chain',
    ({ calls }) => calls,
  )
  counter(
    'perihelion_remote_bodies_total',
    'HTTP requests in which those calls were sent',
    ({ bodies }) => bodies,
  )
  counter('perihelion_remote_retries_total', 'HTTP requests that were repeated', ({ retries }) => retries)
}
