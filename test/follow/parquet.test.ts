import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { BlockFetcher } from '../../src/follow/blockFetcher.ts'
import { Follower } from '../../src/follow/follow.ts'
import { openNodeClient } from '../../src/follow/nodeClient.ts'
import { FolderOutput } from '../../src/follow/outputs.ts'
import { ParquetOutput } from '../../src/follow/parquet/parquetOutput.ts'
import { chainTables } from '../../src/follow/tables/tables.ts'
import { TrafficChain } from '../indexers/trafficChain.ts'
import { temporaryHome } from '../support/testServer.ts'
import { expectedRows, type Row, showRow } from './expectedRows.ts'

const tables = chainTables(true)

describe('Parquet files', () => {
  let chain: TrafficChain
  let head: number
  let folder: string

  beforeAll(async () => {
    chain = await TrafficChain.start()
    await chain.send(25)
    head = await chain.head()
  })
  afterAll(() => chain.close())
  beforeEach(() => {
    folder = temporaryHome()
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const follow = async (to: number, rangeBlocks = 10, from?: number): Promise<void> => {
    const output = await ParquetOutput.open({ folder, tables, rangeBlocks, to })
    const client = openNodeClient(chain.node.http)
    const { signal } = new AbortController()
    const fetcher = new BlockFetcher(
      { traces: true, onRetry: (reason) => expect.fail(reason) },
      { client, signal },
    )
    try {
      const options = { from, to, traces: true, pollMs: 10, onProgress: () => {} }
      await new Follower(options, { fetcher, output, signal }).run()
    } finally {
      client.close()
      await output.close()
    }
  }
  const filesOf = (table: string): string[] => readdirSync(join(folder, table)).sort()
  const rowsOf = async (table: string): Promise<Row[]> => {
    const rows: Row[] = []
    for (const name of filesOf(table)) {
      const file = await asyncBufferFromFile(join(folder, table, name))
      rows.push(...(await parquetReadObjects({ file, utf8: false })).map(showRow))
    }
    return rows
  }
  const expectAll = async (from: number, to: number): Promise<void> => {
    const found = new Map<string, Row[]>()
    for (const { name } of tables) found.set(name, await rowsOf(name))
    const expected = new Map<string, Row[]>(tables.map(({ name }) => [name, []]))
    for (let number = from; number <= to; number++)
      for (const [table, rows] of await expectedRows(chain.rpc, number, tables))
        expected.get(table)?.push(...rows)
    for (const { name } of tables) {
      expect(found.get(name), name).toEqual(expected.get(name))
      expect(found.get(name)?.length, name).toBeGreaterThan(4)
    }
  }

  test('have every row once, as JSON-RPC answers it, a file a range', async () => {
    await follow(head)
    await expectAll(0, head)
    const last = String(head).padStart(12, '0')
    expect(filesOf('logs')).toEqual(filesOf('blocks'))
    expect(filesOf('blocks')).toEqual([
      ...Array.from({ length: Math.floor(head / 10) }, (_, index) => {
        const tens = String(index).padStart(11, '0')
        return `${tens}0-${tens}9.parquet`
      }),
      `${last.slice(0, -1)}0-${last}.parquet`,
    ])
  })

  test('are gone on with behind the last one, and written anew where the cursor does not count them', async () => {
    await follow(7, 10, 3)
    expect(filesOf('blocks')).toEqual(['000000000003-000000000007.parquet'])
    const cursor = join(folder, 'cursor.json')
    copyFileSync(cursor, join(folder, 'kept'))
    await follow(19)
    // As a run leaves it that is killed when its files have their names, and one that is killed before.
    copyFileSync(join(folder, 'kept'), cursor)
    writeFileSync(join(folder, 'logs', '.000000000008-000000000009.parquet.0123456789ab.tmp'), 'PAR1')
    await follow(head, 100)
    expect(filesOf('logs')).toEqual([
      '000000000003-000000000007.parquet',
      `000000000008-${String(head).padStart(12, '0')}.parquet`,
    ])
    await expectAll(3, head)
  })

  test('hold columns of the types that readers know', async () => {
    await follow(9)
    const file = await asyncBufferFromFile(join(folder, 'calls', filesOf('calls')[0] as string))
    const { schema, row_groups: groups } = await parquetMetadataAsync(file)
    expect(groups).toHaveLength(1)
    expect(schema.map(({ name, type, converted_type: converted }) => [name, converted ?? type])).toEqual([
      ['root', undefined],
      ['block_number', 'INT64'],
      ['transaction_index', 'INT32'],
      ['trace_address', 'LIST'],
      ['list', undefined],
      ['element', 'INT32'],
      ['block_time', 'TIMESTAMP_MICROS'],
      ['transaction_hash', 'BYTE_ARRAY'],
      ['call_type', 'UTF8'],
      ['from_address', 'BYTE_ARRAY'],
      ['to_address', 'BYTE_ARRAY'],
      ['value', 'UTF8'],
      ['gas', 'UINT_64'],
      ['gas_used', 'UINT_64'],
      ['subcalls', 'INT32'],
      ['error', 'UTF8'],
      ['revert_reason', 'UTF8'],
      ['input', 'BYTE_ARRAY'],
      ['output', 'BYTE_ARRAY'],
    ])
  })

  test('are not mixed with what is not theirs', async () => {
    mkdirSync(join(folder, 'logs'), { recursive: true })
    const name = join(folder, 'logs', '000000000000-000000000009.parquet')
    writeFileSync(name, 'mine')
    await expect(follow(9)).rejects.toThrow(/counted by no cursor\.json/)
    expect(readFileSync(name, 'utf8')).toBe('mine')
    rmSync(name)
    await follow(9)
    await expect(FolderOutput.open(folder, true)).rejects.toThrow(/holds Parquet files/)
    expect(existsSync(join(folder, 'blocks.ndjson'))).toBe(false)
  })
})
