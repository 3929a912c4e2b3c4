import { Counter, Gauge, type Registry } from 'prom-client'
import type { TransactionPool } from './pool.ts'
import { type DropReason, dropReasons } from './types.ts'

export interface PoolStats {
  readonly pending: number
  readonly queued: number
  readonly parked: number
  /** The number of transactions that left the pool since the start, by reason. */
  readonly dropped: ReadonlyMap<DropReason, number>
}

/** Counts the drops of a pool, and returns a function that returns its statistics. */
export const trackDrops = (pool: TransactionPool): (() => PoolStats) => {
  const dropped = new Map<DropReason, number>()
  pool.events.on('dropped', ({ reason }) => void dropped.set(reason, (dropped.get(reason) ?? 0) + 1))
  return () => {
    const { pending, queued } = pool.counts
    const parked = pool.parkedCount
    return { pending, queued: queued - parked, parked, dropped }
  }
}

/** Registers the metrics of the pool, which are read at each scrape. */
export const registerPoolMetrics = (registry: Registry, stats: () => PoolStats): void => {
  new Gauge({
    name: 'perihelion_pool_transactions',
    help: 'Transactions in the pool: executable (pending), waiting for others of their sender (queued), for room or funds (parked)',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { pending, queued, parked } = stats()
      this.set({ state: 'pending' }, pending)
      this.set({ state: 'queued' }, queued)
      this.set({ state: 'parked' }, parked)
    },
  })
  new Counter({
    name: 'perihelion_pool_dropped_total',
    help: 'Transactions that left the pool, by reason',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset()
      for (const reason of dropReasons) this.inc({ reason }, 0)
      for (const [reason, count] of stats().dropped) this.inc({ reason }, count)
    },
  })
}
