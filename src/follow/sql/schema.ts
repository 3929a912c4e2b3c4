import type { Migration } from '../../base/postgres/migrations.ts'
import type { Column, ColumnType, Table } from '../tables/column.ts'
import { blocks, chainTables } from '../tables/tables.ts'
import { viewStatements } from './views.ts'

/** The name of each type in SQL. */
export const sqlTypes: Readonly<Record<ColumnType, string>> = {
  integer: 'integer',
  bigint: 'bigint',
  count: 'numeric(20)',
  amount: 'numeric(78)',
  boolean: 'boolean',
  bytes: 'bytea',
  bytesList: 'bytea[]',
  text: 'text',
  json: 'jsonb',
  time: 'timestamptz',
  path: 'integer[]',
}

/** Names are ours, or were checked. */
export const quoteName = (name: string): string => `"${name}"`
const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The column with the number of the block. */
export const numberColumn = ({ key: [name] }: Table): string => quoteName(name)

/** Returns the statements that make a table, split by the numbers of blocks. Indexes come after the backfill. */
export const tableStatements = (table: Table): readonly string[] => {
  const { name, about, columns, key } = table
  const quoted = quoteName(name)
  const define = ({ name: column, type }: Column): string =>
    `${quoteName(column)} ${sqlTypes[type]}${key.includes(column) ? ' not null' : ''}`
  return [
    `create table ${quoted} (${columns.map(define).join(', ')}) partition by range (${numberColumn(table)})`,
    `comment on table ${quoted} is ${quoteText(about)}`,
    ...columns.map(
      (column) => `comment on column ${quoted}.${quoteName(column.name)} is ${quoteText(column.about)}`,
    ),
  ]
}

const progressStatements = [
  `create table progress (
    id integer primary key check (id = 1),
    chain_id numeric(78) not null,
    first_block bigint not null,
    next_block bigint not null,
    hash bytea not null,
    traces boolean not null,
    partition_blocks bigint not null,
    is_indexed boolean not null default false,
    updated timestamptz not null default now())`,
  `comment on table progress is 'One row: blocks from first_block to next_block - 1 are in the tables. Written with them.'`,
]

/** What a schema went through. A version that was released is never changed. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    compatibleFrom: 1,
    statements: [
      ...progressStatements,
      ...chainTables(true).flatMap(tableStatements),
      // It is small, and is asked for the hashes of blocks from the start.
      `alter table ${quoteName(blocks.name)} add primary key (number)`,
      ...viewStatements,
    ],
  },
  {
    version: 2,
    // An older program would go on without the rows of events.
    compatibleFrom: 2,
    statements: [
      `create table events (table_name text primary key, id text not null unique, abi jsonb not null)`,
      `comment on table events is 'The tables of events, as --abi gave them when the schema was begun; id is the first topic and how many topics there are.'`,
    ],
  },
  {
    version: 3,
    // An older program would go on with all tables.
    compatibleFrom: 3,
    statements: [
      'alter table progress add column written text',
      `comment on column progress.written is 'The tables that --only chose; null for all.'`,
    ],
  },
]

/** An index, and the table that it is of. */
export interface Index {
  readonly table: string
  readonly name: string
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

/** Returns the indexes of tables. They are made when the backfill is over: each row of it would cost ten times as much with them. */
export const indexesOf = (tables: readonly Table[]): readonly Index[] =>
  tables.flatMap(({ name: table, key, indexes }) =>
    [key, ...indexes].map((columns, index) => ({
      table,
      name: `${table}_${columns.join('_')}`.slice(0, 55),
      columns,
      isUnique: index === 0,
    })),
  )
