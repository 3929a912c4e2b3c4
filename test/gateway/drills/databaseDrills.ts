import { setTimeout as sleep } from 'node:timers/promises'
import { Database } from '../../../src/base/postgres/database.ts'
import { migrate } from '../../../src/base/postgres/migrations.ts'
import { fleetMigrations, fleetSchema } from '../../../src/gateway/fleet/schema.ts'
import type { GatewayProcess } from '../fleet/gatewayProcess.ts'
import type { Cluster } from './cluster.ts'
import type { Drill, DrillTimes } from './drills.ts'

/** Slow, and still within what the gateways wait for; and so slow that the database counts as away. */
const slowMs = 300
const tooSlowMs = 4_000

/** What a newer release might do to the tables, in a way that this one can live with. */
const nextMigration = {
  version: (fleetMigrations.at(-1)?.version ?? 0) + 1,
  compatibleFrom: 1,
  statements: [
    'alter table sends add column note text',
    'create index sends_note on sends (note)',
    'alter table filters add column note text not null default $$none$$',
    'create table notes (id bigint primary key)',
  ],
}

const upgrade = async (cluster: Cluster): Promise<void> => {
  const log = { warn: () => undefined, info: () => undefined }
  const database = new Database({ url: cluster.database.url(), name: 'a newer release', log })
  try {
    await migrate(database, fleetSchema, [...fleetMigrations, nextMigration])
  } finally {
    database.close()
  }
}

const delayed = (cluster: Cluster, milliseconds: number, drillMs: number) => async (): Promise<void> => {
  cluster.delayDatabase(milliseconds)
  await sleep(drillMs)
  cluster.delayDatabase(0)
}

/** What happens to the database of the gateways. The last one leaves them with its standby. */
export const databaseDrills = (cluster: Cluster, { drillMs }: DrillTimes): readonly Drill[] => [
  {
    name: 'the database killed',
    run: async () => {
      await cluster.database.kill()
      await sleep(drillMs)
      await cluster.database.begin()
    },
  },
  {
    name: 'the database restarted',
    run: async () => {
      await cluster.database.stop()
      await cluster.database.begin()
      await sleep(drillMs)
    },
  },
  {
    name: 'the database frozen',
    run: async () => {
      cluster.database.freeze()
      await sleep(drillMs)
      cluster.database.thaw()
    },
  },
  { name: `the database slow by ${slowMs} ms`, run: delayed(cluster, slowMs, drillMs) },
  { name: `the database slow by ${tooSlowMs} ms`, run: delayed(cluster, tooSlowMs, drillMs) },
  {
    name: 'the database full',
    run: async () => {
      if (!cluster.database.hasRoom) return
      await cluster.database.fill()
      await sleep(drillMs)
      // The next piece of its log has no room either: it ends.
      await cluster.database.query('select pg_switch_wal()').catch(() => undefined)
      await sleep(drillMs)
      await cluster.database.empty()
    },
  },
  {
    name: 'the tables changed by a newer release',
    run: async () => {
      await upgrade(cluster)
      await sleep(drillMs)
      // One of this release starts beside it.
      const gateway = cluster.gateways[0] as GatewayProcess // there are three
      await gateway.close()
      await gateway.start()
    },
  },
  {
    name: 'the database failed over to its standby',
    run: async () => {
      await cluster.failOver()
      await sleep(drillMs)
    },
  },
]
