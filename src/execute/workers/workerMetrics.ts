import { Counter, Gauge, type Registry } from 'prom-client'
import type { WorkerStats } from './workerPool.ts'

/** The statistics of the worker pools by their metric label. Calls and traces have separate queues. */
export type WorkerPoolStats = Readonly<Record<'call' | 'trace', WorkerStats>>

/** Registers the metrics of the workers, which are read at each scrape. */
export const registerWorkerMetrics = (registry: Registry, stats: () => WorkerPoolStats): void => {
  new Gauge({
    name: 'perihelion_call_workers',
    help: 'Workers by pool (calls or traces) and by state',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { workers, busy }] of Object.entries(stats())) {
        this.set({ pool, state: 'busy' }, busy)
        this.set({ pool, state: 'idle' }, workers - busy)
      }
    },
  })
  new Gauge({
    name: 'perihelion_call_queue',
    help: 'Calls and traces that wait for a worker by pool',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      for (const [pool, { waiting }] of Object.entries(stats())) this.set({ pool }, waiting)
    },
  })
  new Counter({
    name: 'perihelion_call_workers_replaced_total',
    help: 'Workers that died or were ended by pool',
    labelNames: ['pool'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [pool, { replaced }] of Object.entries(stats())) this.inc({ pool }, replaced)
    },
  })
}
