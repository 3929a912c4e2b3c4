import { type AbiItem, describeItem } from '../../base/abi/item.ts'
import type { AbiParameter, AbiType } from '../../base/abi/type.ts'
import { typeName } from '../../base/abi/type.ts'
import { type ColumnType, column, type Table } from '../tables/column.ts'
import { blockNumber, blockTime, logIndex, transactionHash } from '../tables/tables.ts'

/** PostgreSQL cuts longer names, and the names of partitions and indexes are longer than those of their table. */
const maxName = 30
const maxColumnName = 60

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

/** Returns the table of an event. Where several events share a name, the hash of the signature and the count of topics tell them apart. */
export const eventTable = (event: AbiItem, id: string, isShared: boolean): Table => {
  const [topic0, topics] = id.split('/') as [string, string]
  const name = `event_${eventName(event)}${isShared ? `_${topic0.slice(2, 10)}_${topics}` : ''}`
  const common = [
    blockNumber,
    logIndex,
    blockTime,
    transactionHash,
    column('address', 'bytes', 'address', 'the contract'),
  ]
  const taken = new Set(common.map((one) => one.name))
  const parameters = event.inputs.map((parameter, index) => {
    let columnName = toSnakeCase(parameter.name, maxColumnName) || `parameter_${index}`
    while (taken.has(columnName)) columnName += '_'
    taken.add(columnName)
    const type = isHashed(parameter) ? 'bytes' : columnTypes[parameter.type.kind]
    return column(columnName, type, memberOf(index), aboutParameter(parameter))
  })
  return {
    name,
    about: `One row a log of the event ${describeItem(event)}`.slice(0, 1000),
    key: ['block_number', 'log_index'],
    indexes: [['address', 'block_number']],
    columns: [...common, ...parameters],
  }
}
