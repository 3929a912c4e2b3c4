import { Counter, Gauge, type Registry } from 'prom-client'
import type { WorkerStats } from './workerPool.ts'

/** The figures of the call workers, read when somebody asks. */
export const measureWorkers = (registry: Registry, stats: () => WorkerStats): void => {
  new Gauge({
    name: 'perihelion_call_workers',
    help: 'Call workers by what they do',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { workers, busy } = stats()
      this.set({ state: 'busy' }, busy)
      this.set({ state: 'idle' }, workers - busy)
    },
  })
  new Gauge({
    name: 'perihelion_call_queue',
    help: 'Calls that wait for a call worker',
    registers: [registry],
    collect() {
      this.set(stats().waiting)
    },
  })
  new Counter({
    name: 'perihelion_call_workers_replaced_total',
    help: 'Call workers that died or were ended',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(stats().replaced)
    },
  })
}
