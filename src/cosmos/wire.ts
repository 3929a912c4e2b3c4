import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { WireCursor } from '../base/encoding/protobuf/protoReader.ts'

/**
 * A walk over the bytes of a protobuf message before it is decoded. Decoding makes an object for every field, so two
 * bytes can cost a hundred times their size; the walk makes none and ends at the first limit that is crossed.
 */

export interface WireLimits {
  /** The largest number of fields in the whole message; each element of a list and each packed number counts. */
  readonly maxFields: number
  /** The largest number of messages within each other. */
  readonly maxDepth: number
  /**
   * What to do with fields that the message does not have. The Cosmos SDK rejects them in transactions (ADR-020) and
   * ignores them in queries.
   */
  readonly unknownFields: 'rejected' | 'ignored'
}

/** The largest number of fields that is decoded without regard to the size: below 0.1 s of processor time. */
const plainMaxFields = 65_536
/** The absolute limit, which only messages of many megabytes can reach. */
const absoluteMaxFields = 2_000_000
/** The fields of real messages, such as lists of logs, are longer than this on average. */
const minMeanFieldBytes = 16

/** Returns the limits for a message that came as a response or in a block, which may be as large as it needs. */
export const limitsForSize = (bytes: number): WireLimits => ({
  maxFields: Math.min(absoluteMaxFields, Math.max(plainMaxFields, Math.floor(bytes / minMeanFieldBytes))),
  maxDepth: 16,
  unknownFields: 'ignored',
})

/** The limits for a message that a stranger sends. */
export const requestLimits: WireLimits = {
  maxFields: plainMaxFields,
  maxDepth: 16,
  unknownFields: 'ignored',
}

/** The limits for a message of a transaction of a Perihelion chain. The wrapper has about twenty fields in all. */
export const transactionLimits: WireLimits = { maxFields: 64, maxDepth: 8, unknownFields: 'rejected' }

const varint = 0
const fixed64 = 1
const delimited = 2
const fixed32 = 5

/** What the walk needs to know of a field. */
interface FieldShape {
  readonly wireType: number
  /** Whether several values may stand in one field. */
  readonly isPackable: boolean
  readonly message: MessageShape | undefined
}

type MessageShape = Map<number, FieldShape>

const shapes = new WeakMap<DescMessage, MessageShape>()

const shapeOf = (schema: DescMessage): MessageShape => {
  const known = shapes.get(schema)
  if (known !== undefined) return known
  const shape: MessageShape = new Map()
  shapes.set(schema, shape) // before its fields, because messages may contain themselves
  for (const field of schema.fields) shape.set(field.number, toFieldShape(field))
  return shape
}

const toFieldShape = (field: DescField): FieldShape => {
  switch (field.fieldKind) {
    case 'message':
      return toMessageField(field.message)
    case 'map':
      return { wireType: delimited, isPackable: false, message: toMapEntryShape(field) }
    case 'enum':
      return { wireType: varint, isPackable: false, message: undefined }
    case 'scalar':
      return { wireType: wireTypeOf(field.scalar), isPackable: false, message: undefined }
    case 'list':
      if (field.listKind === 'message') return toMessageField(field.message)
      return toListField(field.listKind === 'enum' ? varint : wireTypeOf(field.scalar))
  }
}

const toMessageField = (schema: DescMessage): FieldShape => ({
  wireType: delimited,
  isPackable: false,
  message: shapeOf(schema),
})

const toListField = (wireType: number): FieldShape => ({
  wireType,
  isPackable: wireType !== delimited,
  message: undefined,
})

const toMapEntryShape = (field: Extract<DescField, { fieldKind: 'map' }>): MessageShape => {
  const value =
    field.mapKind === 'message'
      ? toMessageField(field.message)
      : {
          wireType: field.mapKind === 'enum' ? varint : wireTypeOf(field.scalar),
          isPackable: false,
          message: undefined,
        }
  return new Map([
    [1, { wireType: wireTypeOf(field.mapKey), isPackable: false, message: undefined }],
    [2, value],
  ])
}

const wireTypeOf = (scalar: ScalarType): number => {
  switch (scalar) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return fixed64
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return fixed32
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return delimited
    default:
      return varint
  }
}

/** Returns what is wrong with the bytes of a message; undefined if it may be decoded. Never throws. */
export const findWireProblem = (
  schema: DescMessage,
  bytes: Uint8Array,
  limits: WireLimits,
): string | undefined => new Walk(bytes, limits).walk(shapeOf(schema), bytes.length, 1)

const maxFieldNumber = 2 ** 29 - 1

class Walk {
  readonly #bytes: Uint8Array
  readonly #limits: WireLimits
  readonly #cursor: WireCursor
  #fields = 0

  constructor(bytes: Uint8Array, limits: WireLimits) {
    this.#bytes = bytes
    this.#limits = limits
    this.#cursor = new WireCursor(bytes)
  }

  walk(shape: MessageShape, end: number, depth: number): string | undefined {
    const { maxFields, maxDepth, unknownFields } = this.#limits
    if (depth > maxDepth) return `messages are more than ${maxDepth} deep`
    while (this.#cursor.at < end) {
      if (++this.#fields > maxFields) return `it has more than ${maxFields} fields`
      const tag = this.#cursor.varint(end)
      const number = Math.floor(tag / 8)
      if (!(number >= 1 && number <= maxFieldNumber)) return 'a field has no valid number'
      const field = shape.get(number)
      if (field === undefined && unknownFields === 'rejected') return `it has an unknown field, ${number}`
      const problem = this.#skipValue(field, tag % 8, end, depth)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  #skipValue(
    field: FieldShape | undefined,
    wireType: number,
    end: number,
    depth: number,
  ): string | undefined {
    if (field !== undefined && wireType !== field.wireType && !(wireType === delimited && field.isPackable))
      return 'a field has the wire type of another'
    switch (wireType) {
      case varint:
        return this.#cursor.varint(end) >= 0 ? undefined : truncated
      case fixed64:
        return this.#skip(8, end)
      case fixed32:
        return this.#skip(4, end)
      case delimited: {
        const length = this.#cursor.varint(end)
        if (!(length >= 0 && length <= end - this.#cursor.at)) return truncated
        if (field?.message !== undefined) return this.walk(field.message, this.#cursor.at + length, depth + 1)
        if (field?.isPackable) this.#fields += this.#countPacked(field.wireType, this.#cursor.at + length)
        this.#cursor.at += length
        return this.#fields > this.#limits.maxFields
          ? `it has more than ${this.#limits.maxFields} fields`
          : undefined
      }
      default:
        return 'it has a group' // no message of the dialect has one
    }
  }

  #skip(count: number, end: number): string | undefined {
    this.#cursor.at += count
    return this.#cursor.at <= end ? undefined : truncated
  }

  /** Returns the number of values in a packed field; a varint ends with a byte below 0x80. */
  #countPacked(wireType: number, end: number): number {
    if (wireType === fixed64) return (end - this.#cursor.at) / 8
    if (wireType === fixed32) return (end - this.#cursor.at) / 4
    const most = this.#limits.maxFields
    let count = 0
    for (let at = this.#cursor.at; at < end && count <= most; at++)
      if ((this.#bytes[at] as number) < 0x80) count++
    return count
  }
}

const truncated = 'it ends within a field'
