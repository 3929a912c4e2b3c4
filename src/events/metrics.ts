import { Gauge, type Registry } from 'prom-client'
import type { CriteriaMemory } from './criteriaMemory.ts'
import type { SubscriptionManager } from './subscriptionManager.ts'

/** Registers the number of subscriptions and the memory of their criteria, which are read at each scrape. */
export const registerSubscriptionMetrics = (
  registry: Registry,
  counts: () => ReturnType<SubscriptionManager['counts']>,
  memory: CriteriaMemory,
): void => {
  new Gauge({
    name: 'perihelion_subscriptions',
    help: 'Subscriptions by kind',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, count] of Object.entries(counts())) this.set({ kind }, count)
    },
  })
  new Gauge({
    name: 'perihelion_filter_memory_bytes',
    help: 'Memory of the criteria of filters and subscriptions',
    registers: [registry],
    collect() {
      this.set(memory.used)
    },
  })
}
