import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hasPostgres, postgresNote } from '../../support/postgres.ts'
import type { Faults } from '../replay/server/injectedFaults.ts'
import { RpcError } from '../replay/server/rpc.ts'
import type { Replay } from '../replay/server/server.ts'
import { beatMs, Cluster } from './cluster.ts'
import { type Counts, noCounts, since, toTable } from './counts.ts'
import { Load } from './load.ts'

/** `npm run long -- gatewayDrills`: what clients notice while nodes, gateways, their database and the chain fail. */

const drillMs = 1_000 * Number(process.env.DRILL_SECONDS ?? 5)
const haltMs = 1_000 * Number(process.env.HALT_SECONDS ?? 60)
/** Only drills whose name has this text. */
const wanted = process.env.DRILLS ?? ''

const cluster = new Cluster()
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

interface ToldResult {
  gas_used?: string
  value?: string
}

/** Says more gas of each transaction, and other values of states. */
const lie = (method: string, result: unknown): unknown => {
  if (method !== 'NewBlock' && method !== 'block_results' && method !== 'abci_query') return result
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => {
    if (typeof value !== 'object' || value === null || (key !== 'response' && !('gas_used' in value)))
      return value
    const told = value as ToldResult
    if (told.gas_used !== undefined) return { ...told, gas_used: String(Number(told.gas_used) + 1) }
    return typeof told.value === 'string' ? { ...told, value: `AAAA${told.value}` } : told
  })
}

/** Passes each transaction on, and says that its sender has too little. */
const refuse = (method: string, result: unknown): unknown =>
  method === 'broadcast_tx_sync'
    ? {
        ...(result as object),
        code: 5,
        codespace: 'sdk',
        log: 'sender balance < tx cost: insufficient funds',
      }
    : result

/** Passes each transaction on, and answers as CometBFT does if the application took too long. */
const loseTrack = (method: string, result: unknown): unknown => {
  if (method !== 'broadcast_tx_sync') return result
  throw new RpcError(
    -32_603,
    'Internal error',
    'broadcast confirmation not received: context deadline exceeded',
  )
}

const faults: Readonly<Record<string, (head: number) => Faults>> = {
  killed: () => ({ down: true }),
  lagging: () => ({ back: 20 }),
  lying: () => ({ alter: lie }),
  'refusing sends': () => ({ alter: refuse }),
  'unsure of sends': () => ({ alter: loseTrack }),
  pruned: (head) => ({ prunedBelow: head - 2, prunedStateBelow: head - 2 }),
  'rate-limited': () => ({ limitedFor: 2 }),
}

/** What happens to the database of the gateways. The last one leaves them with its standby. */
const databaseDrills: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'the database killed',
    async () => {
      await cluster.database.kill()
      await sleep(drillMs)
      await cluster.database.begin()
    },
  ],
  [
    'the database restarted',
    async () => {
      await cluster.database.stop()
      await cluster.database.begin()
      await sleep(drillMs)
    },
  ],
  [
    'the database frozen',
    async () => {
      cluster.database.freeze()
      await sleep(drillMs)
      cluster.database.thaw()
    },
  ],
  [
    'the database failed over to its standby',
    async () => {
      await cluster.failOver()
      await sleep(drillMs)
    },
  ],
]

const drills: (readonly [string, () => Promise<void>])[] = [
  ['nothing fails', () => sleep(drillMs)],
  ...Object.entries(faults).flatMap(([kind, faultsAt]) =>
    [0, 1, 2].map((index) => {
      const run = async (): Promise<void> => {
        const upstream = cluster.upstreams[index] as Replay // there are three
        await upstream.setFaults(faultsAt(cluster.chain.head))
        await sleep(drillMs)
        await upstream.setFaults({})
      }
      return [`node ${index + 1} ${kind}`, run] as const
    }),
  ),
  ...[0, 1, 2].map((index) => {
    const run = async (): Promise<void> => {
      const gateway = cluster.gateways[index]
      await gateway?.kill()
      await sleep(drillMs)
      await gateway?.start()
    }
    return [`gateway ${index + 1} killed`, run] as const
  }),
  ...[0, 1, 2].map((index) => {
    const run = async (): Promise<void> => {
      await cluster.gateways[index]?.kill()
      cluster.removeHome(index)
      await sleep(drillMs)
      await cluster.gateways[index]?.start()
    }
    return [`gateway ${index + 1} killed, its home removed`, run] as const
  }),
  [
    `the chain halted for ${haltMs / 1_000} s`,
    async () => {
      cluster.setBeat(0)
      await sleep(haltMs)
      cluster.setBeat(beatMs)
    },
  ],
  ...databaseDrills,
]

const name = `nobody notices: no gap, nothing sent twice or lost, nothing wrong, no read refused${postgresNote}`

test.skipIf(!hasPostgres)(name, { timeout: 3_600_000 }, async () => {
  const rows: (readonly [string, Counts])[] = []
  for (const [name, run] of drills.filter(([name]) => name.includes(wanted))) {
    const before = { ...load.counts }
    await run()
    await cluster.settle()
    await sleep(2 * beatMs)
    await load.audit()
    rows.push([name, since(before, load.counts)])
    process.stdout.write(`${name}\n`)
  }
  rows.push(['all', { ...load.counts }])
  const reasons = [...load.reasons].map(([reason, times]) => `${times} × ${reason}`).join('\n')
  process.stdout.write(`${toTable(rows)}\n${reasons}\n`)
  const { reads, sends, notifications, ...failures } = load.counts
  const { reads: _, sends: __, notifications: ___, ...none } = noCounts
  expect(Math.min(reads, sends, notifications)).toBeGreaterThan(0)
  expect(failures, reasons).toEqual(none)
})
