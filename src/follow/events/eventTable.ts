import { type AbiItem, describeItem } from '../../base/abi/item.ts'
import type { AbiParameter, AbiType } from '../../base/abi/type.ts'
import { typeName } from '../../base/abi/type.ts'
import { type ColumnType, column, type Table } from '../tables/column.ts'
import { blockNumber, blockTime, logIndex, transactionHash } from '../tables/tables.ts'

/** PostgreSQL cuts longer names, and the names of partitions and indexes are longer than those of their table. */
const maxName = 30
const maxColumnName = 60
/** What PostgreSQL takes of a name, in bytes. */
const maxSqlName = 63

/** Every table of PostgreSQL has columns of these names. */
const systemColumns = ['xmin', 'xmax', 'cmin', 'cmax', 'ctid', 'tableoid']

/** What an event's table is looked up by; its indexes are named after the columns. */
const key = ['block_number', 'log_index'] as const
const indexes = [['address', 'block_number']] as const

/** The ends of names that are made here: of partitions, of indexes, and of tables whose events share a name. */
const madeEnd = new RegExp(
  `_(?:p\\d+|[0-9a-f]{8}_\\d|${[key, ...indexes].map((columns) => columns.join('_')).join('|')})$`,
)

/** `TransferSingle` becomes `transfer_single`. Names are foreign text, and end in statements: only letters, digits and _ are left. */
const toSnakeCase = (name: string, most: number): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, most)

const columnTypes: Readonly<Record<AbiType['kind'], ColumnType>> = {
  uint: 'amount',
  int: 'amount',
  bool: 'boolean',
  address: 'bytes',
  function: 'bytes',
  fixedBytes: 'bytes',
  bytes: 'bytes',
  string: 'text',
  array: 'json',
  tuple: 'json',
}

/** Whether a topic holds the hash of a value in its place: all that do not fit into a word. */
export const isHashed = ({ type, indexed }: AbiParameter): boolean =>
  indexed &&
  (type.kind === 'string' || type.kind === 'bytes' || type.kind === 'array' || type.kind === 'tuple')

/** The member of a record that has a parameter. */
export const memberOf = (index: number): string => `parameter${index}`

const aboutParameter = (parameter: AbiParameter): string =>
  `${typeName(parameter.type)} ${parameter.name}`.trim() +
  (isHashed(parameter) ? ': the log has its hash' : '')

/** The part of a table's name that is the event's. */
export const eventName = ({ name }: AbiItem): string => toSnakeCase(name, maxName)

/** Returns a name that no other column has. */
const columnName = (parameter: AbiParameter, index: number, taken: ReadonlySet<string>): string => {
  const base = toSnakeCase(parameter.name, maxColumnName) || `parameter_${index}`
  let name = base
  for (let count = 1; taken.has(name); count++) {
    const end = base.length + count <= maxSqlName ? '_'.repeat(count) : `_${count}`
    name = base.slice(0, maxSqlName - end.length) + end
  }
  return name
}

/**
 * Returns the table of an event. Where several events share a name, the hash of the signature and the count of topics tell them apart;
 * they also keep a table's name apart from those of partitions and indexes.
 */
export const eventTable = (event: AbiItem, id: string, isShared: boolean): Table => {
  const [topic0, topics] = id.split('/') as [string, string]
  const plain = `event_${eventName(event)}`
  const name = isShared || madeEnd.test(plain) ? `${plain}_${topic0.slice(2, 10)}_${topics}` : plain
  const common = [
    blockNumber,
    logIndex,
    blockTime,
    transactionHash,
    column('address', 'bytes', 'address', 'the contract'),
  ]
  const taken = new Set([...systemColumns, ...common.map((one) => one.name)])
  const parameters = event.inputs.map((parameter, index) => {
    const ownName = columnName(parameter, index, taken)
    taken.add(ownName)
    const type = isHashed(parameter) ? 'bytes' : columnTypes[parameter.type.kind]
    return column(ownName, type, memberOf(index), aboutParameter(parameter))
  })
  return {
    name,
    about: `One row per log of the event ${describeItem(event)}`.slice(0, 1000),
    key,
    indexes,
    columns: [...common, ...parameters],
  }
}
