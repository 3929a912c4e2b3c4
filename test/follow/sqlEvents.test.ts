import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeEventLog } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../src/base/postgres/database.ts'
import { BlockFetcher } from '../../src/follow/blockFetcher.ts'
import type { Only } from '../../src/follow/choice.ts'
import type { EventRows } from '../../src/follow/events/eventRows.ts'
import { readEvents } from '../../src/follow/events/readEvents.ts'
import { Follower } from '../../src/follow/follow.ts'
import { openNodeClient } from '../../src/follow/nodeClient.ts'
import { SqlOutput } from '../../src/follow/sql/sqlOutput.ts'
import { TrafficChain } from '../indexers/trafficChain.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../support/postgres.ts'
import type { Row } from './expectedRows.ts'
import { type TokenName, Tokens } from './tokens.ts'

const holder = `0x${'ab'.repeat(20)}`
const names = ['Coin', 'Deed', 'Items'] as const

interface Log {
  readonly blockNumber: string
  readonly logIndex: string
  readonly address: string
  readonly topics: [`0x${string}`, ...`0x${string}`[]]
  readonly data: `0x${string}`
}

describe.skipIf(!hasPostgres)(`tables of events in PostgreSQL${postgresNote}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perihelion-events-'))
  let chain: TrafficChain
  let tokens: Tokens
  let server: PostgresServer
  let database: Database
  const fileOf = (name: TokenName): string => join(folder, `${name}.json`)

  beforeAll(async () => {
    chain = await TrafficChain.start()
    tokens = await Tokens.deploy(chain)
    for (const name of [...names, 'Liar'] as const)
      writeFileSync(fileOf(name), JSON.stringify(tokens.abiOf(name)))
    await trade()
    await tokens.sendData('Liar', `0x${'11'.repeat(40)}`)
    server = await PostgresServer.start()
    const log = { warn: () => {}, info: () => {} } as ConstructorParameters<typeof Database>[0]['log']
    database = new Database({ url: server.url(), name: 'test', timeoutMs: 30_000, log })
  })
  afterAll(async () => {
    database?.close()
    await server?.close()
    await chain?.close()
    rmSync(folder, { recursive: true })
  })

  const trade = async (): Promise<void> => {
    await tokens.send('Coin', 'mint', holder, 2n ** 255n)
    await tokens.send('Deed', 'move', holder, 7n)
    await tokens.send('Items', 'mint', holder, 1n, 50n)
    await tokens.send('Items', 'moveAll', holder, [0n, 1n], [0n, 0n])
  }

  const follow = async (given?: readonly TokenName[]): Promise<void> =>
    followInto('chain', given && readEvents(given.map(fileOf)))

  const followInto = async (schema: string, events?: readonly EventRows[], only?: Only): Promise<void> => {
    const { signal } = new AbortController()
    const output = await SqlOutput.open({
      ...{ url: server.url(), schema, partitionBlocks: 4, events, signal },
      say: () => {},
    })
    const client = openNodeClient(chain.node.http)
    const fetcher = new BlockFetcher({ traces: false, onRetry: () => {} }, { client, signal })
    try {
      const options = {
        ...{ from: 0, to: await chain.head(), traces: false, only, pollMs: 10 },
        onProgress: () => {},
      }
      await new Follower(options, { fetcher, output, signal }).run()
    } finally {
      client.close()
      await output.close()
    }
  }

  const ask = (query: string): Promise<Row[]> => database.run(async (sql) => [...(await sql.unsafe(query))])

  /** What viem decodes of all logs, as lines. */
  const expectedLines = async (): Promise<readonly string[]> => {
    const logs = await chain.rpc<readonly Log[]>('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })
    return logs.flatMap((log) => {
      for (const name of names)
        try {
          const { args } = decodeEventLog({ abi: tokens.abiOf(name), data: log.data, topics: log.topics })
          const values = Object.values(args ?? {}).map((value) =>
            Array.isArray(value) ? `[${value.join(', ')}]` : `${value}`,
          )
          return [
            [Number(log.blockNumber), Number(log.logIndex), log.address, ...values].join(' ').toLowerCase(),
          ]
        } catch {}
      return []
    })
  }

  const readLines = async (): Promise<readonly string[]> => {
    const place = `block_number || ' ' || log_index || ' 0x' || encode(address, 'hex') || ' '`
    const hex = (column: string): string => `'0x' || encode(${column}, 'hex') || ' '`
    const list = (column: string): string => `replace(${column}::text, '"', '')`
    const rows = await ask(
      `
      select ${place} || ${hex('from')} || ${hex('to')} || value as line, block_number, log_index from chain.event_transfer_ddf252ad_3
      union all select ${place} || ${hex('from')} || ${hex('to')} || token_id, block_number, log_index from chain.event_transfer_ddf252ad_4
      union all select ${place} || ${hex('operator')} || ${hex('from')} || ${hex('to')} || id || ' ' || value, block_number, log_index from chain.event_transfer_single
      union all select ${place} || ${hex('operator')} || ${hex('from')} || ${hex('to')} || ${list('ids')} || ' ' || ${list('values')}, block_number, log_index from chain.event_transfer_batch
      order by block_number, log_index`
        .replaceAll('encode(from,', 'encode("from",')
        .replaceAll('encode(to,', 'encode("to",'),
    )
    return rows.map(({ line }) => String(line))
  }

  test('every log that is an event of the ABIs has a row with its values, also after a restart and where blocks are taken back', async () => {
    await follow(names)
    expect((await readLines()).length).toBeGreaterThan(4)
    expect(await readLines()).toEqual(await expectedLines())
    await trade()
    await follow()
    expect(await readLines()).toEqual(await expectedLines())
    await chain.takeBack(3)
    await tokens.send('Coin', 'mint', holder, 5n)
    await trade()
    await follow(['Items', 'Deed', 'Coin'])
    expect(await readLines()).toEqual(await expectedLines())
    const [index] = await ask(
      `select count(*)::int as count from pg_indexes where schemaname = 'chain' and tablename = 'event_transfer_batch'`,
    )
    expect(index).toEqual({ count: 2 })
  })

  test('rows of events are there though logs were not chosen', async () => {
    await followInto('chosen', readEvents([fileOf('Coin')]), ['blocks'])
    const [row] = await ask(`select (select count(*)::int from chosen.event_transfer) as events,
      (select count(*)::int from chain.event_transfer_ddf252ad_3) as expected, (select count(*)::int from chosen.logs) as logs`)
    expect(row).toMatchObject({ events: row?.expected, logs: 0 })
    expect(row?.events).toBeGreaterThan(0)
  })

  test('a schema goes on with the events that it was begun with', async () => {
    await expect(follow(['Coin'])).rejects.toThrow(
      /begun with the events .*Transfer\(address from, .*leave --abi out/,
    )
  })
  test('parameters and events may be called like what PostgreSQL and the schema have already', async () => {
    const system = ['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']
    const long = Array.from({ length: 6 }, (_, index) => `${'long'.repeat(15)}${index}`)
    const inputs = [...system, ...long].map((name) => ({ name, type: 'uint8' }))
    const file = join(folder, 'odd.json')
    const odd = ['Staked', 'StakedP0', 'StakedAddressBlockNumber', 'StakedBlockNumberLogIndex']
    writeFileSync(file, JSON.stringify(odd.map((name) => ({ type: 'event', name, inputs }))))
    await followInto('odd', readEvents([file]))
    const [indexes] = await ask(
      `select count(*)::int as count from pg_indexes where schemaname = 'odd' and tablename = 'event_staked'`,
    )
    expect(indexes).toEqual({ count: 2 })
    // What was called otherwise when it was begun keeps its name.
    const [{ table_name: name } = {}] = await ask(
      `select table_name from odd.events where table_name like 'event_staked_p0%'`,
    )
    const parts = await ask(
      `select relname from pg_class where relname like '${name}%' and relkind in ('r', 'p') and relnamespace = 'odd'::regnamespace`,
    )
    for (const { relname } of parts)
      await ask(
        `alter table odd."${relname}" rename to "${String(relname).replace(String(name), 'event_staked_earlier')}"`,
      )
    await ask(`update odd.events set table_name = 'event_staked_earlier' where table_name = '${name}'`)
    for (let count = 0; count < 5; count++) await trade()
    await followInto('odd')
    const partsOf = (table: string): Promise<Row[]> =>
      ask(`select count(*)::int as count from pg_inherits where inhparent = 'odd.${table}'::regclass`)
    expect(await partsOf('event_staked_earlier')).toEqual(await partsOf('event_staked'))
    expect(Number((await partsOf('event_staked'))[0]?.count)).toBeGreaterThan(parts.length - 1)
  })
})
