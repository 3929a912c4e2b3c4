import { Gauge, type Registry } from 'prom-client'
import type { SubscriptionManager } from './subscriptionManager.ts'

/** Registers the number of subscriptions, which is read at each scrape. */
export const registerSubscriptionMetrics = (
  registry: Registry,
  counts: () => ReturnType<SubscriptionManager['counts']>,
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
}
