import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres, postgresNote } from '../../support/postgres.ts'
import { beatMs, Cluster } from './cluster.ts'
import { type Counts, noCounts, since, toTable } from './counts.ts'
import { createDrills } from './drills.ts'
import { Load } from './load.ts'

/** `npm run long -- gatewayDrills`: what clients notice while nodes, gateways, their database and the chain fail. */

const drillMs = 1_000 * Number(process.env.DRILL_SECONDS ?? 5)
const haltMs = 1_000 * Number(process.env.HALT_SECONDS ?? 60)
/** Only drills whose name has one of these texts. */
const wanted = (process.env.DRILLS ?? '').split(',')
/** `trust` believes nodes, and `alone` has no database. Each has to fail. */
const control = process.env.CONTROL

const cluster = new Cluster({ isTrusting: control === 'trust', isAlone: control === 'alone' })
let load: Load

beforeAll(async () => {
  if (!hasPostgres) return
  await cluster.open()
  load = new Load(cluster, cluster.chain.head - 2)
}, 600_000)

afterAll(async () => {
  await load?.close()
  await cluster.close()
}, 60_000)

const name = `nobody notices: no gap, nothing sent twice or lost, nothing wrong, no read refused${postgresNote}`

test.skipIf(!hasPostgres)(name, { timeout: 7_200_000 }, async () => {
  const rows: (readonly [string, Counts])[] = []
  const drills = createDrills(cluster, { drillMs, haltMs })
  for (const { name, run } of drills.filter(({ name }) => wanted.some((part) => name.includes(part)))) {
    const before = { ...load.counts }
    await run()
    await cluster.settle()
    await sleep(2 * beatMs)
    await load.audit()
    rows.push([name, since(before, load.counts)])
    process.stdout.write(`${toTable(rows.slice(-1))}\n`)
  }
  rows.push(['all', { ...load.counts }])
  const reasons = [...load.reasons].map(([reason, times]) => `${times} × ${reason}`).join('\n')
  process.stdout.write(`${toTable(rows)}\n${reasons}\n`)
  const { reads, again, sends, notifications, unanswered, ...failures } = load.counts
  const { reads: _, again: __, sends: ___, notifications: ____, unanswered: _____, ...none } = noCounts
  expect(Math.min(reads, sends, notifications)).toBeGreaterThan(0)
  if (control === 'alone') expect(failures.lost).toBeGreaterThan(0)
  else if (control === 'trust') expect(failures.wrong).toBeGreaterThan(0)
  else expect(failures, reasons).toEqual(none)
})
