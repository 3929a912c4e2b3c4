import type { Decoded } from '../../src/base/abi/decode.ts'
import type { AbiItem } from '../../src/base/abi/item.ts'
import { type AbiType, typeName } from '../../src/base/abi/type.ts'
import type { CallFrame, Hex, Log, Transaction } from '../rpc/types.ts'
import { texts } from '../texts/texts.ts'
import { decodeParameters } from './decode.ts'
import { candidates } from './registry.ts'

/** A call, an event or an error with its values. */
export interface Described {
  readonly item: AbiItem
  readonly values: readonly Decoded[]
}

const describeBy = (
  kind: AbiItem['kind'],
  data: string,
  address: Hex | undefined | null,
): Described | undefined => {
  if (data.length < 10) return undefined
  for (const item of candidates(data.slice(0, 10) as Hex, address)) {
    if (item.kind !== kind) continue
    const values = decodeParameters(item.inputs, data.slice(10))
    if (values !== undefined) return { item, values }
  }
  return undefined
}

export const describeCall = (input: Hex, to: Hex | undefined | null): Described | undefined =>
  describeBy('function', input, to)

export const describeError = (data: Hex, address?: Hex | null): Described | undefined =>
  describeBy('error', data, address)

/** A value that fills one word is in its topic; of any other the topic has only the hash. */
const isWord = ({ kind }: AbiType): boolean =>
  kind !== 'string' && kind !== 'bytes' && kind !== 'array' && kind !== 'tuple'

const describeWith = (item: AbiItem, topics: readonly Hex[], data: Hex): readonly Decoded[] | undefined => {
  const indexed = item.inputs.filter((input) => input.indexed)
  if (indexed.length !== topics.length - 1) return undefined
  const rest = decodeParameters(
    item.inputs.filter((input) => !input.indexed),
    data,
  )
  if (rest === undefined) return undefined
  let topic = 1
  let at = 0
  return item.inputs.map((input): Decoded => {
    if (!input.indexed) return rest[at++] as Decoded
    const word = topics[topic++] as Hex
    const value = isWord(input.type) ? decodeParameters([input], word)?.[0] : undefined
    return value ?? { name: input.name, type: texts.hashed(typeName(input.type)), value: word }
  })
}

const fits = ({ inputs }: AbiItem, topics: number): boolean =>
  inputs.filter((input) => input.indexed).length === topics - 1

/** ERC-721 has the token's id as a topic where ERC-20 has an amount as data. */
const withTopics = (item: AbiItem, count: number): AbiItem =>
  fits(item, count)
    ? item
    : {
        ...item,
        inputs: item.inputs.map((input, index) => ({
          ...input,
          name: index === 2 && count === 4 && input.name === 'value' ? 'tokenId' : input.name,
          indexed: index < count - 1,
        })),
      }

export const describeLog = ({
  address,
  topics,
  data,
}: Pick<Log, 'address' | 'topics' | 'data'>): Described | undefined => {
  const [id] = topics
  if (id === undefined) return undefined
  // One of another standard has the same signature with other names, so that those that fit come first.
  const events = candidates(id, address)
    .filter(({ kind }) => kind === 'event')
    .toSorted((a, b) => Number(fits(b, topics.length)) - Number(fits(a, topics.length)))
  for (const candidate of events) {
    const item = withTopics(candidate, topics.length)
    const values = describeWith(item, topics, data)
    if (values !== undefined) return { item, values }
  }
  return undefined
}

/** Why a call was reverted, in one line; undefined if its data says nothing that is known. */
export const revertText = (data: Hex | undefined, address?: Hex | null): string | undefined => {
  if (data === undefined || data === '0x') return undefined
  const described = describeError(data, address)
  if (described === undefined) return undefined
  const { item, values } = described
  if (item.name === 'Error' && typeof values[0]?.value === 'string') return values[0].value
  if (item.name === 'Panic')
    return texts.panic(`${values[0]?.value}`, texts.panics[`${values[0]?.value}`] ?? texts.unknownPanic)
  return `${item.name}(${values.map(({ name, value }) => `${name ? `${name}: ` : ''}${plain(value)}`).join(', ')})`
}

/** A value in one line of text. */
export const plain = (value: Decoded['value']): string =>
  Array.isArray(value) ? `[${value.map((one: Decoded) => plain(one.value)).join(', ')}]` : String(value)

/** The name of what a call does, for tables: its function, or its selector. */
const methodName = (input: Hex, to: Hex | null | undefined): string => {
  if (to == null) return texts.created
  if (input === '0x') return texts.sent
  return describeCall(input, to)?.item.name ?? input.slice(0, 10)
}

/** Returns what a transaction does, in a word: the message of a Cosmos transaction, or the function that is called. */
export const actionName = ({ input, to, cosmos }: Pick<Transaction, 'input' | 'to' | 'cosmos'>): string => {
  const [first, ...others] = cosmos?.types ?? []
  if (first === undefined) return methodName(input, to)
  const name = first.split('.').at(-1) ?? first
  return others.length === 0 ? name : `${name} +${others.length}`
}

/** The frames of a call with those inside of it, each with its depth. */
export const flatten = (
  frame: CallFrame,
  depth = 0,
): readonly { readonly frame: CallFrame; readonly depth: number }[] => [
  { frame, depth },
  ...(frame.calls ?? []).flatMap((inner) => flatten(inner, depth + 1)),
]
