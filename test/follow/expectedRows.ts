import type { Table } from '../../src/follow/tables/column.ts'
import type { Rpc } from '../support/verifier/rpc.ts'

type Json = Readonly<Record<string, unknown>>
export type Row = Readonly<Record<string, unknown>>

/** Columns that are not named as the member of JSON-RPC is. */
const names: Readonly<Record<string, string>> = {
  time: 'timestamp',
  block_time: 'blockTimestamp',
  prev_randao: 'mixHash',
  from_address: 'from',
  to_address: 'to',
  call_type: 'type',
}

const memberOf = (column: string): string =>
  names[column] ?? column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns a value of a table as text that can be compared: bytes in hex, numbers in decimal, times in seconds. */
export const showValue = (value: unknown): unknown => {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`
  if (value instanceof Date) return String(value.getTime() / 1000)
  if (Array.isArray(value)) return value.map(showValue)
  return typeof value === 'object' ? value : String(value)
}

/** Returns what JSON-RPC says of a value, in the form of `showValue`. */
const showExpected = (table: Table, name: string, value: unknown): unknown => {
  if (value === null || value === undefined) return null
  const { type } = table.columns.find((column) => column.name === name) as Table['columns'][number]
  if (type === 'json' || type === 'text' || type === 'bytes' || type === 'bytesList') return value
  return Array.isArray(value) ? value.map(String) : BigInt(value as string).toString()
}

/** Returns the rows that a block has by what JSON-RPC answers, each with the columns of its table. */
export const expectedRows = async (
  rpc: Rpc,
  number: number,
  tables: readonly Table[],
): Promise<ReadonlyMap<string, readonly Row[]>> => {
  const tag = `0x${number.toString(16)}`
  const block = await rpc<Json & { readonly transactions: readonly Json[] }>(
    'eth_getBlockByNumber',
    tag,
    true,
  )
  const receipts = await rpc<readonly (Json & { readonly logs: readonly Json[] })[]>(
    'eth_getBlockReceipts',
    tag,
  )
  const timed = { blockTimestamp: block.timestamp, blockNumber: block.number }
  const records: Record<string, readonly Json[]> = {
    blocks: [{ ...block, transactionCount: block.transactions.length }],
    transactions: block.transactions.map((transaction) => ({ ...transaction, ...timed })),
    receipts: receipts.map((receipt) => ({ ...receipt, ...timed })),
    logs: receipts.flatMap(({ logs }) =>
      logs.map((log) => {
        const [topic0, topic1, topic2, topic3] = log.topics as readonly string[]
        return { ...log, ...timed, topic0, topic1, topic2, topic3 }
      }),
    ),
    calls: [],
  }
  if (number > 0 && tables.some(({ name }) => name === 'calls'))
    records.calls = (
      await rpc<readonly { readonly txHash: string; readonly result: Frame }[]>(
        'debug_traceBlockByNumber',
        tag,
        {
          tracer: 'callTracer',
        },
      )
    ).flatMap(({ txHash, result }, transactionIndex) =>
      flatten(result, []).map((frame) => ({ ...frame, ...timed, transactionIndex, transactionHash: txHash })),
    )
  return new Map(
    tables.map((table) => [
      table.name,
      (records[table.name] ?? []).map((record) =>
        Object.fromEntries(
          table.columns.map(({ name }) => [name, showExpected(table, name, record[memberOf(name)])]),
        ),
      ),
    ]),
  )
}

interface Frame extends Json {
  readonly calls?: readonly Frame[]
}

const flatten = ({ calls = [], ...frame }: Frame, traceAddress: readonly number[]): Json[] => [
  { ...frame, traceAddress, subcalls: calls.length },
  ...calls.flatMap((call, index) => flatten(call, [...traceAddress, index])),
]

/** Returns a row of a table in the form of those that are expected. */
export const showRow = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, showValue(value)]))
