import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Database } from '../../src/base/postgres/database.ts'
import { BlockFetcher } from '../../src/follow/blockFetcher.ts'
import { Follower } from '../../src/follow/follow.ts'
import { openNodeClient } from '../../src/follow/nodeClient.ts'
import { indexesOf, sqlTypes } from '../../src/follow/sql/schema.ts'
import { SqlOutput } from '../../src/follow/sql/sqlOutput.ts'
import { views } from '../../src/follow/sql/views.ts'
import { chainTables } from '../../src/follow/tables/tables.ts'
import { blocksOf, readPage } from '../docs/markdown.ts'
import { TrafficChain } from '../indexers/trafficChain.ts'
import { hasPostgres, PostgresServer, postgresNote } from '../support/postgres.ts'
import { createRandom } from '../support/random.ts'
import { type Row, showRow } from './expectedRows.ts'
import { Tokens } from './tokens.ts'

const page = readPage('docs/sql.md')
const questions = blocksOf(page).filter(({ language }) => language === 'sql')
const holders = [0x1111, 0x2222, 0x3333].map((last) => `0x${last.toString(16).padStart(40, '0')}`)
const sender = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const max = 2n ** 256n - 1n

test('the page has every table, column and view', () => {
  for (const { name, columns, about, key } of chainTables(true)) {
    expect(page).toContain(`### ${name}\n\n${about} Unique: (${key.join(', ')}).`)
    for (const column of columns)
      expect(page).toContain(`| \`${column.name}\` | ${sqlTypes[column.type]} | ${column.about} |`)
  }
  for (const { name, about } of views) expect(page).toContain(`| \`${name}\` | ${about} |`)
  const indexes = indexesOf(chainTables(true))
  expect(new Set(indexes.map(({ name }) => name)).size).toBe(indexes.length)
})

describe.skipIf(!hasPostgres)(`the page about SQL${postgresNote}`, () => {
  let chain: TrafficChain
  let tokens: Tokens
  let server: PostgresServer
  let database: Database

  beforeAll(async () => {
    chain = await TrafficChain.start()
    tokens = await Tokens.deploy(chain)
    const random = createRandom(5)
    const holder = (): string => random.pick([...holders, sender])
    for (let round = 0; round < 12; round++) {
      await tokens.send('Coin', 'mint', sender, 10n ** 18n + BigInt(random.below(1_000_000)))
      await tokens.send('Coin', 'transfer', holder(), BigInt(random.below(1_000_000)))
      await tokens.send('Deed', 'move', holder(), max - BigInt(random.below(5)))
      await tokens.send('Items', 'mint', sender, BigInt(round % 3), 50n)
      await tokens.send('Items', 'moveAll', holder(), [0n, BigInt(round % 3)], [1n, 2n])
    }
    await tokens.send('Coin', 'burn', 77n)
    await tokens.send('Items', 'moveAll', holder(), [], [])
    const word = (value: bigint): string => value.toString(16).padStart(64, '0')
    for (const data of [
      '',
      '00',
      word(max),
      word(64n) + word(max),
      word(64n) + word(64n) + word(max),
      word(64n) + word(96n) + word(1n) + word(2n),
      word(2n ** 31n) + word(2n ** 31n),
    ])
      await tokens.sendData('Liar', `0x${data}`)
    await chain.send(12)
    server = await PostgresServer.start()
    const log = { warn: () => {}, info: () => {} } as ConstructorParameters<typeof Database>[0]['log']
    database = new Database({ url: server.url(), name: 'test', timeoutMs: 30_000, log })
    const { signal } = new AbortController()
    const options = { url: server.url(), schema: 'chain', partitionBlocks: 1_000, signal }
    const output = await SqlOutput.open({ ...options, say: () => {} })
    const client = openNodeClient(chain.node.http)
    const fetcher = new BlockFetcher(
      { traces: true, onRetry: (reason) => expect.fail(reason) },
      { client, signal },
    )
    const range = { from: 0, to: await chain.head(), traces: true, pollMs: 10 }
    await new Follower({ ...range, onProgress: () => {} }, { fetcher, output, signal }).run()
    client.close()
    await output.close()
  })
  afterAll(async () => {
    database?.close()
    await server?.close()
    await chain?.close()
  })

  const ask = (query: string): Promise<Row[]> =>
    database.run(async (sql) => {
      await sql.unsafe('set search_path to chain')
      return [...(await sql.unsafe(query))].map(showRow)
    })

  test('has ten questions', () => expect(questions).toHaveLength(10))

  test.each(questions.map(({ text, line }) => [line, text] as const))(
    'line %i has an answer',
    async (_, query) => {
      expect((await ask(query)).length).toBeGreaterThan(0)
    },
  )

  test.each(views.map(({ name }) => name))('%s has rows for who names its schema', async (name) => {
    const rows = await database.transaction(async (sql) => {
      await sql.unsafe('set local search_path to public')
      return [...(await sql.unsafe(`select * from chain.${name}`))]
    })
    expect(rows.length).toBeGreaterThan(0)
  })

  test('the page has the columns of each view', async () => {
    const found =
      await ask(`select table_name as name, string_agg('\`' || column_name || '\`', ', ' order by ordinal_position) as columns
      from information_schema.columns where table_schema = 'chain' and table_name in (${views.map(({ name }) => `'${name}'`).join()})
      group by table_name`)
    expect(found).toHaveLength(views.length)
    for (const { name, columns } of found)
      expect(page).toContain(
        `| \`${name}\` | ${views.find((view) => view.name === name)?.about} | ${columns} |`,
      )
  })

  test('balances of tokens are those of the state', async () => {
    const coin = tokens.addressOf('Coin').toLowerCase()
    const balances = await ask('select * from erc20_balances')
    const ofCoin = balances.filter(({ token }) => token === coin)
    expect(ofCoin.length).toBeGreaterThan(2)
    for (const { holder, balance } of ofCoin)
      expect(String(await tokens.read('Coin', 'balanceOf', holder))).toBe(balance)
    const known = new Set(ofCoin.map(({ holder }) => holder))
    for (const holder of [...holders, sender])
      if (!known.has(holder)) expect(await tokens.read('Coin', 'balanceOf', holder)).toBe(0n)
    const owners = await ask('select * from erc721_owners')
    expect(owners.length).toBeGreaterThan(2)
    for (const { token_id: id, owner } of owners)
      expect(await tokens.read('Deed', 'ownerOf', BigInt(id as string))).toBe(BigInt(owner as string))
    const items = await ask('select * from erc1155_balances')
    expect(items.length).toBeGreaterThan(4)
    for (const { token, holder, token_id: id, balance } of items)
      if (token === tokens.addressOf('Items').toLowerCase())
        expect(String(await tokens.read('Items', 'balanceOf', holder, BigInt(id as string)))).toBe(balance)
  })

  test('transfers of the three standards are one list, and logs that lie are in it only with what they have', async () => {
    const counts = await ask(
      'select standard, count(*) as count from token_transfers group by standard order by standard',
    )
    expect(counts.map(({ standard }) => standard)).toEqual(['ERC-1155', 'ERC-20', 'ERC-721'])
    const liar = tokens.addressOf('Liar').toLowerCase()
    const lies = (await ask('select * from token_transfers')).filter(({ token }) => token === liar)
    // Of seven texts of data five have the 32 bytes of ERC-20, four the 64 of a single transfer, and none both lists of a batch.
    expect(lies.filter(({ standard }) => standard === 'ERC-20')).toHaveLength(5)
    expect(lies.filter(({ standard }) => standard === 'ERC-1155')).toHaveLength(4)
  })
})
