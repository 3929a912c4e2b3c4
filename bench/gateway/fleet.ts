import { hasPostgres, PostgresServer } from '../../test/support/postgres.ts'
import { LoadDriver } from '../support/load/drive.ts'
import { ownSide } from '../support/run/inProcess.ts'
import type { Measured, Row } from '../support/run/part.ts'
import { definePart } from '../support/run/runPart.ts'
import { KeptSends, keepingFlags, measureKeptSends } from './keptSends.ts'
import { type RunningGateway, startGateway } from './runningGateway.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const blocks = 30
const transactions = 20
const connections = 16
const counts = [0, 1, 2, 3]

interface FleetStage {
  readonly upstream: Upstream
  /** What the gateways share; undefined where there is no PostgreSQL, and then there is one gateway without it. */
  readonly database: PostgresServer | undefined
  readonly driver: LoadDriver
  readonly keptSends: KeptSends
}

interface FullBlock {
  readonly transactions: readonly { readonly hash: string; readonly from: string }[]
}

type Calls = readonly (readonly [method: string, ...params: readonly unknown[]])[]

/** What is asked, by the name of its rows. The first is what each gateway answers by itself. */
const kinds: Readonly<Record<string, (block: FullBlock, filters: readonly string[]) => Calls>> = {
  reads: ({ transactions: found }) =>
    found.flatMap(({ hash }) => [
      ['eth_blockNumber'],
      ['eth_getTransactionReceipt', hash],
      ['eth_getTransactionByHash', hash],
      ['eth_getBlockByNumber', 'latest', false],
    ]),
  // They were made at all gateways.
  'polls of filters': (_, filters) => filters.map((filter) => ['eth_getFilterChanges', filter]),
  // What waits at any gateway counts.
  'pending nonces': ({ transactions: found }) =>
    found.map(({ from }) => ['eth_getTransactionCount', from, 'pending']),
}

/** Starts a fleet; 0 is one gateway without a database. */
const startGateways = async (
  { upstream, database }: FleetStage,
  count: number,
): Promise<readonly RunningGateway[]> => {
  const flags = count === 0 ? [] : [`--gateway.database=${database?.url()}`]
  const gateways = await Promise.all(
    Array.from({ length: Math.max(1, count) }, () =>
      startGateway([...upstream.flags, ...flags, ...keepingFlags, '--json-rpc.rate-limit=0']),
    ),
  )
  for (const gateway of gateways) await gateway.reach(blocks)
  return gateways
}

/** The same load on each of the gateways in turn; the CPU is that of all of them. */
const measure = async (
  stage: FleetStage,
  {
    count,
    kind,
    seconds,
  }: { readonly count: number; readonly kind: keyof typeof kinds; readonly seconds: number },
): Promise<Measured> => {
  const gateways = await startGateways(stage, count)
  const cpuMs = (): number => gateways.reduce((sum, gateway) => sum + gateway.cpuMs(), 0)
  try {
    const [gateway] = gateways as [RunningGateway]
    const block = await gateway.client.call<FullBlock>('eth_getBlockByNumber', 'latest', true)
    const filters: string[] = []
    for (let at = 0; at < transactions; at++)
      filters.push(
        await (gateways[at % gateways.length] as RunningGateway).client.call<string>('eth_newBlockFilter'),
      )
    const calls = kinds[kind]?.(block, filters) ?? []
    const file = stage.driver.prepare(
      calls.map(([method, ...params]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
    )
    let [requests, errors, cpu, spent] = [0, 0, 0, 0]
    for (const { port } of gateways) {
      const order = { port, file, connections, seconds: seconds / gateways.length }
      const warm = await stage.driver.warmUp(order)
      const before = cpuMs()
      const result = await stage.driver.drive(order, warm)
      cpu += cpuMs() - before
      requests += result.requests
      spent += result.seconds
      errors += result.errors
    }
    return {
      figures: { rate: requests / spent, cpuMicros: (cpu * 1_000) / requests },
      ...(errors > 0 ? { note: `${errors} errors`, isVoid: true } : {}),
    }
  } finally {
    for (const gateway of gateways) await gateway.stop()
  }
}

const nameOf = (kind: string, count: number): string =>
  count === 0 ? `${kind} of one gateway alone` : `${kind} in a fleet of ${count}`

/** A send that no block can hold yet, where it is kept in a file, and where in the database. */
const keptRow = (count: number, each: number): Row<FleetStage> => ({
  name: `a send that is kept in ${count === 0 ? 'a file' : 'the database'}`,
  unit: 'send',
  by: 'p50Ms',
  connections: [1, 16],
  // What was sent is known from then on.
  isOnce: true,
  measure: async (stage, connections) => {
    const gateways = await startGateways(stage, count)
    const [gateway] = gateways as [RunningGateway]
    try {
      const cpuMs = (): number => gateway.cpuMs()
      await measureKeptSends(gateway, await stage.keptSends.sign(each), { connections, cpuMs })
      return await measureKeptSends(gateway, await stage.keptSends.sign(each), { connections, cpuMs })
    } finally {
      await gateway.stop()
    }
  },
})

/** What a request costs where several gateways share a database. */
export const part = definePart<FleetStage>({
  sides: () => [
    ownSide(
      async () => ({
        upstream: await startUpstream({ blocks, transactions }),
        database: hasPostgres ? await PostgresServer.start({ settings: ['fsync=on'] }) : undefined,
        driver: new LoadDriver(),
        keptSends: new KeptSends(),
      }),
      async ({ upstream, database, driver }) => {
        driver.close()
        await upstream.stop()
        await database?.close()
      },
    ),
  ],
  rows: ({ seconds, isQuick }): readonly Row<FleetStage>[] => [
    ...Object.keys(kinds).flatMap((kind) =>
      (hasPostgres ? counts : [0]).map((count) => ({
        name: nameOf(kind, count),
        unit: 'request',
        by: 'cpuMicros' as const,
        measure: (stage: FleetStage) => measure(stage, { count, kind, seconds }),
      })),
    ),
    // The last ones: what they leave in the database is sent by whoever comes after them.
    ...(hasPostgres ? [0, 1] : [0]).map((count) => keptRow(count, isQuick ? 20 : 250)),
  ],
})
