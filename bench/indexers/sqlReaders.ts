import type { Sql } from 'postgres'
import postgres from 'postgres'
import { chainTables } from '../../src/follow/tables/tables.ts'
import { type Connection, call } from '../support/load/connection.ts'

type Json = Readonly<Record<string, unknown>>

const insertRows = 1_000
const tag = (number: number): string => `0x${number.toString(16)}`
const bytes = (text: unknown): Buffer | null =>
  typeof text === 'string' ? Buffer.from(text.slice(2), 'hex') : null
const amount = (text: unknown): string | null => (typeof text === 'string' ? BigInt(text).toString() : null)
const number = (text: unknown): number | null => (typeof text === 'string' ? Number(text) : null)

/** The columns that most pipelines have. */
const statements = [
  'create table blocks (number bigint primary key, hash bytea, parent_hash bytea, time timestamptz, gas_used numeric, gas_limit numeric, base_fee numeric, miner bytea)',
  'create table transactions (block_number bigint, transaction_index integer, hash bytea, from_address bytea, to_address bytea, value numeric, nonce bigint, gas numeric, gas_price numeric, input bytea, status integer, gas_used numeric, effective_gas_price numeric, contract_address bytea, primary key (block_number, transaction_index))',
  'create table logs (block_number bigint, log_index integer, transaction_hash bytea, address bytea, topic0 bytea, topic1 bytea, topic2 bytea, topic3 bytea, data bytea, primary key (block_number, log_index))',
  'create table calls (block_number bigint, transaction_index integer, type text, from_address bytea, to_address bytea, value numeric, gas numeric, gas_used numeric, input bytea, output bytea)',
]

/**
 * A client as most pipelines have it: one call after the other over one connection, rows inserted a thousand at a time. It keeps fewer
 * columns than `perihelion follow`.
 */
export const pollAndInsert = async (
  connection: Connection,
  url: string,
  { blocks, traces }: { readonly blocks: number; readonly traces: boolean },
): Promise<void> => {
  const sql = postgres(url, { max: 1, onnotice: () => undefined })
  for (const statement of statements) await sql.unsafe(statement)
  const waiting: Record<string, Json[]> = { blocks: [], transactions: [], logs: [], calls: [] }
  const flush = async (atLeast: number): Promise<void> => {
    for (const [table, rows] of Object.entries(waiting))
      while (rows.length > 0 && rows.length >= atLeast) await insert(sql, table, rows.splice(0, insertRows))
  }
  for (let height = 0; height <= blocks; height++) {
    const block = (await call(connection, 'eth_getBlockByNumber', tag(height), true)) as Json
    const receipts = (await call(connection, 'eth_getBlockReceipts', tag(height))) as readonly Json[]
    addBlock(waiting, height, block, receipts)
    if (traces && height > 0) {
      const traced = await call(connection, 'debug_traceBlockByNumber', tag(height), { tracer: 'callTracer' })
      for (const [index, { result }] of (traced as readonly { result: Json }[]).entries())
        addFrames(waiting.calls as Json[], height, index, result)
    }
    await flush(insertRows)
  }
  await flush(1)
  await sql.end()
}

const insert = async (sql: Sql, table: string, rows: readonly Json[]): Promise<void> => {
  await sql`insert into ${sql(table)} ${sql(rows as never)}`
}

const addBlock = (
  waiting: Readonly<Record<string, Json[]>>,
  height: number,
  block: Json,
  receipts: readonly Json[],
): void => {
  waiting.blocks?.push({
    ...{ number: height, hash: bytes(block.hash), parent_hash: bytes(block.parentHash) },
    time: new Date(Number(block.timestamp) * 1000),
    ...{ gas_used: amount(block.gasUsed), gas_limit: amount(block.gasLimit) },
    ...{ base_fee: amount(block.baseFeePerGas), miner: bytes(block.miner) },
  })
  for (const [index, transaction] of (block.transactions as readonly Json[]).entries()) {
    const receipt = receipts[index] as Json
    waiting.transactions?.push({
      ...{ block_number: height, transaction_index: index, hash: bytes(transaction.hash) },
      ...{ from_address: bytes(transaction.from), to_address: bytes(transaction.to) },
      ...{ value: amount(transaction.value), nonce: number(transaction.nonce), gas: amount(transaction.gas) },
      ...{ gas_price: amount(transaction.gasPrice), input: bytes(transaction.input) },
      ...{ status: number(receipt.status), gas_used: amount(receipt.gasUsed) },
      ...{ effective_gas_price: amount(receipt.effectiveGasPrice) },
      contract_address: bytes(receipt.contractAddress),
    })
    for (const log of receipt.logs as readonly Json[]) {
      const topics = (log.topics as readonly string[]).map(bytes)
      waiting.logs?.push({
        ...{ block_number: height, log_index: number(log.logIndex), address: bytes(log.address) },
        transaction_hash: bytes(log.transactionHash),
        ...{ topic0: topics[0] ?? null, topic1: topics[1] ?? null, topic2: topics[2] ?? null },
        ...{ topic3: topics[3] ?? null, data: bytes(log.data) },
      })
    }
  }
}

const addFrames = (rows: Json[], height: number, index: number, frame: Json): void => {
  rows.push({
    ...{ block_number: height, transaction_index: index, type: frame.type },
    ...{ from_address: bytes(frame.from), to_address: bytes(frame.to), value: amount(frame.value) },
    ...{ gas: amount(frame.gas), gas_used: amount(frame.gasUsed) },
    ...{ input: bytes(frame.input), output: bytes(frame.output) },
  })
  for (const inner of (frame.calls ?? []) as readonly Json[]) addFrames(rows, height, index, inner)
}

/** How many rows and transactions there are, and their bytes with indexes. */
export const countRows = async (
  url: string,
  schema: string,
): Promise<{ readonly rows: number; readonly transactions: number; readonly bytes: number }> => {
  const sql = postgres(url, { max: 1 })
  try {
    const counts: Record<string, number> = {}
    for (const { name } of chainTables(true)) {
      const [found] = await sql`select to_regclass(${`${schema}.${name}`})::text as name`
      if (found?.name == null) continue
      const [count] = await sql`select count(*)::int as rows from ${sql(schema)}.${sql(name)}`
      counts[name] = Number(count?.rows)
    }
    const [size] = await sql`
      select sum(pg_total_relation_size(c.oid))::bigint as bytes from pg_class c
      where relkind = 'r' and relnamespace = ${schema}::regnamespace`
    const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
    return { rows, transactions: counts.transactions ?? 0, bytes: Number(size?.bytes) }
  } finally {
    await sql.end()
  }
}
