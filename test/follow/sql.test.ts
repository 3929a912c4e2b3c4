import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Database } from '../../src/base/postgres/database.ts'
import { BlockFetcher } from '../../src/follow/blockFetcher.ts'
import type { Only } from '../../src/follow/choice.ts'
import { Follower } from '../../src/follow/follow.ts'
import { openNodeClient } from '../../src/follow/nodeClient.ts'
import { SqlOutput } from '../../src/follow/sql/sqlOutput.ts'
import { SqlSession } from '../../src/follow/sql/sqlSession.ts'
import { chainTables } from '../../src/follow/tables/tables.ts'
import { TrafficChain } from '../indexers/trafficChain.ts'
import { eventually } from '../support/eventually.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../support/postgres.ts'
import { expectedRows, type Row, showRow } from './expectedRows.ts'

const tables = chainTables(true)

/** The client leaves lists of numbers as the server writes them. */
const toRow = (row: Row): Row => {
  const { trace_address: path, ...others } = showRow(row)
  return typeof path === 'string' ? { ...others, trace_address: path.match(/\d+/g) ?? [] } : others
}

describe.skipIf(!hasPostgres)(`a chain in PostgreSQL${postgresNote}`, () => {
  let chain: TrafficChain
  let server: PostgresServer
  let database: Database
  let count = 0
  let schema: string
  const said: string[] = []

  beforeAll(async () => {
    chain = await TrafficChain.start()
    await chain.send(25)
    server = await PostgresServer.start()
    const log = { warn: () => {}, info: () => {} } as ConstructorParameters<typeof Database>[0]['log']
    database = new Database({ url: server.url(), name: 'test', timeoutMs: 30_000, log })
  })
  afterAll(async () => {
    database?.close()
    await server?.close()
    await chain?.close()
  })
  beforeEach(() => {
    schema = `chain_${count++}`
  })
  afterEach(() => {
    said.length = 0
  })

  const openOutput = (signal = new AbortController().signal) =>
    SqlOutput.open({ url: server.url(), schema, partitionBlocks: 10, signal, say: (text) => said.push(text) })

  /** Follows until a block, or until it is stopped. */
  const follow = async (
    to: number | undefined,
    {
      from = 0,
      stop = new AbortController(),
      only,
    }: { from?: number; stop?: AbortController; only?: Only } = {},
  ): Promise<void> => {
    const output = await openOutput(stop.signal)
    const client = openNodeClient(chain.node.http)
    const { signal } = stop
    const onRetry = (reason: string): void => void said.push(reason)
    const fetcher = new BlockFetcher({ traces: true, onRetry }, { client, signal })
    try {
      const options = { from, to, traces: true, only, pollMs: 10, onProgress: () => {} }
      await new Follower(options, { fetcher, output, signal }).run()
    } finally {
      client.close()
      await output.close()
    }
  }
  const ask = (query: string): Promise<Row[]> =>
    database.run(async (sql) => [...(await sql.unsafe(query.replaceAll('chain.', `${schema}.`)))])
  const expectAll = async (from: number, to: number): Promise<void> => {
    const expected = new Map<string, Row[]>(tables.map(({ name }) => [name, []]))
    for (let number = from; number <= to; number++)
      for (const [table, rows] of await expectedRows(chain.rpc, number, tables))
        expected.get(table)?.push(...rows)
    for (const { name, key } of tables) {
      const rows = (await ask(`select * from chain.${name} order by ${key.join(', ')}`)).map(toRow)
      expect(rows, name).toEqual(expected.get(name))
    }
  }

  test('has every row once, as JSON-RPC answers it, with its partitions and indexes', async () => {
    const head = await chain.head()
    await follow(12)
    await follow(head)
    await expectAll(0, head)
    const [counts] = await ask(`select
      (select count(*)::int from pg_inherits where inhparent = 'chain.logs'::regclass) as partitions,
      (select count(*)::int from pg_indexes where schemaname = '${schema}' and tablename = 'logs') as indexes,
      (select is_indexed from chain.progress) as is_indexed`)
    expect(counts).toEqual({ partitions: Math.floor(head / 10) + 1, indexes: 5, is_indexed: true })
  })

  test('has no rows but those that were chosen and its blocks, by which it takes blocks back', async () => {
    const countAll = async (): Promise<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const { name } of tables)
        counts[name] = Number((await ask(`select count(*)::int as count from chain.${name}`))[0]?.count)
      return counts
    }
    const head = await chain.head()
    await follow(head)
    const all = await countAll()
    schema = `${schema}_logs`
    const only: Only = ['logs']
    await follow(head, { only })
    expect(await countAll()).toEqual({ ...all, transactions: 0, receipts: 0 })
    await expect(follow(head)).rejects.toThrow(/with --only logs/)
    await chain.takeBack(2)
    await chain.send(3)
    await follow(await chain.head(), { only })
    expect(await ask('select hash from chain.blocks order by number desc limit 1')).toEqual([
      {
        hash: Buffer.from(
          (await chain.rpc<{ hash: string }>('eth_getBlockByNumber', 'latest', false)).hash.slice(2),
          'hex',
        ),
      },
    ])
  })

  test('goes on at the head, and takes rows back with the blocks', async () => {
    const stop = new AbortController()
    const running = follow(undefined, { stop })
    const isAt = async (): Promise<boolean> => {
      const head = await chain.head()
      const [block] = await ask('select hash from chain.blocks order by number desc limit 1').catch(() => [])
      const { hash } = await chain.rpc<{ hash: string }>(
        'eth_getBlockByNumber',
        `0x${head.toString(16)}`,
        false,
      )
      return block !== undefined && showRow(block).hash === hash
    }
    await eventually(isAt)
    await chain.send(3)
    await eventually(isAt)
    await chain.takeBack(6)
    await chain.send(2)
    await eventually(isAt)
    stop.abort()
    await running
    await expectAll(0, await chain.head())
    // Also what was taken back while nobody followed.
    await chain.takeBack(4)
    await chain.send(3)
    await follow(await chain.head())
    await expectAll(0, await chain.head())
  })

  test('is written again where the server lost the newest commits, and partitions with them', async () => {
    const stop = new AbortController()
    const running = follow(undefined, { stop })
    const isAt = async (next: number): Promise<boolean> => {
      const [row] = await ask('select next_block from chain.progress where is_indexed').catch(() => [])
      return Number(row?.next_block) === next
    }
    const head = await chain.head()
    await eventually(() => isAt(head + 1))
    await database.transaction(async (sql) => {
      await sql.unsafe(`set local search_path to ${schema}`)
      await sql.unsafe(
        'update progress set next_block = 10, hash = (select hash from blocks where number = 9) where id = 1',
      )
      for (const { name } of tables)
        for (let index = 1; index <= Math.floor(head / 10); index++)
          await sql.unsafe(`drop table ${name}_p${index}`)
    })
    await chain.send(1)
    const newHead = await chain.head()
    await Promise.race([running, eventually(() => isAt(newHead + 1))])
    stop.abort()
    await running
    await expectAll(0, newHead)
  })

  test('has work that takes long done once, however long its connection is busy', async () => {
    const { signal } = new AbortController()
    const times = { timeoutMs: 500, keepAliveMs: 50 }
    const session = await SqlSession.open({
      ...{ url: server.url(), schema, signal, say: (text) => said.push(text) },
      ...times,
    })
    let tries = 0
    const work = session.run(
      async (sql) => {
        // A second try would end as the first.
        if (++tries > 1) throw new Error('the work was begun again')
        await sql`select pg_sleep(2)`
      },
      { takesLong: true },
    )
    try {
      await work
      expect(tries).toBe(1)
      expect(said).toEqual([])
    } finally {
      session.close()
    }
  })

  test('is written by one follower at a time', async () => {
    const output = await openOutput()
    await expect(openOutput()).rejects.toThrow(/another follower writes to the schema/)
    // Also after its connection was lost, and made again.
    await database.run(
      (sql) =>
        sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'perihelion follow'`,
    )
    await output.hashAt(0)
    await expect(openOutput()).rejects.toThrow(/another follower writes to the schema/)
    await output.close()
    await eventually(() =>
      openOutput().then(
        (next) => next.close().then(() => true),
        () => false,
      ),
    )
  })
})
