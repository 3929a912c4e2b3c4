import { type Decoded, decodeAbi } from '../../base/abi/decode.ts'
import type { AbiItem } from '../../base/abi/item.ts'
import type { AbiParameter } from '../../base/abi/type.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import type { Json, Sinks, Table } from '../tables/column.ts'
import { isHashed, memberOf } from './eventTable.ts'

/** An event whose logs are rows of a table of its own. */
export interface EventRows {
  /** The hash of its signature and how many topics it has. */
  readonly id: string
  readonly event: AbiItem
  readonly table: Table
}

type Value = Decoded['value']

/** Items that take no place of their own in the data, being empty or shared, may be as many beside all others. */
const maxPlaceless = 10_000

/** Returns a value as JSON has it: integers as digits, lists as lists, structs as objects by their names where all have one. */
const toJson = (value: Value, { type }: AbiParameter): unknown => {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return value
  if (type.kind === 'array')
    return value.map((item) => toJson(item.value, { name: '', type: type.item, indexed: false }))
  const fields = type.kind === 'tuple' ? type.fields : []
  const items = value.map((item, index) => toJson(item.value, fields[index] as AbiParameter))
  const isNamed =
    new Set(fields.map(({ name }) => name)).size === fields.length && fields.every(({ name }) => name !== '')
  return isNamed ? Object.fromEntries(fields.map(({ name }, index) => [name, items[index]])) : items
}

/** Returns the values of a log by the members of its record; undefined if the log does not hold what its event says. */
const decodeLog = (event: AbiItem, topics: readonly string[], data: string): Json | undefined => {
  const inData = event.inputs.filter(({ indexed }) => !indexed)
  const bytes = fromHex(data)
  // Each other item takes a word, so that a list of any length is whole.
  const fromData = decodeAbi(inData, bytes, toHex, bytes.length / 32 + maxPlaceless)
  if (fromData === undefined) return undefined
  const values: Record<string, unknown> = {}
  let [topicAt, dataAt] = [0, 0]
  for (const [index, parameter] of event.inputs.entries()) {
    const topic = parameter.indexed ? (topics[1 + topicAt++] as string) : '' // as many as the event has
    if (isHashed(parameter)) {
      values[memberOf(index)] = topic
      continue
    }
    const decoded = parameter.indexed
      ? decodeAbi([parameter], fromHex(topic), toHex)?.[0]
      : fromData[dataAt++]
    if (decoded === undefined) return undefined
    const isPlain = typeof decoded.value !== 'object'
    values[memberOf(index)] = isPlain ? decoded.value : toJson(decoded.value, parameter)
  }
  return values
}

/** Adds the rows of logs whose events have tables. A log that has the topics of an event and other data is in `logs` alone. */
export class EventLogs {
  readonly #events: ReadonlyMap<string, EventRows>

  constructor(events: readonly EventRows[]) {
    this.#events = new Map(events.map((event) => [event.id, event]))
  }

  add(log: Json, topics: readonly unknown[], sinks: Sinks): void {
    if (topics.length === 0 || this.#events.size === 0) return
    const found = this.#events.get(`${topics[0]}/${topics.length}`)
    if (found === undefined) return
    const values = decodeLog(found.event, topics as readonly string[], log.data as string)
    if (values !== undefined) sinks(found.table)?.add({ ...log, ...values })
  }
}
