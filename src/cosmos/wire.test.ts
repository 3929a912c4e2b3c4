import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema, FieldMaskSchema, StructSchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { QueryAccountRequestSchema } from './gen/cosmos/evm/vm/v1/query_pb.ts'
import { TxBodySchema, TxRawSchema } from './gen/cosmos/tx/v1beta1/tx_pb.ts'
import { decodeMessage } from './protobuf.ts'
import { findWireProblem, limitsForSize, requestLimits, transactionLimits, type WireLimits } from './wire.ts'

/** Returns `count` empty fields with this number, which must be below 16: two bytes each. */
const emptyFields = (number: number, count: number): Uint8Array => {
  const bytes = new Uint8Array(2 * count)
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = (number << 3) | 2
  return bytes
}

const small: WireLimits = { maxFields: 10, maxDepth: 3, unknownFields: 'ignored' }

describe('the walk over the bytes of a message', () => {
  it('lets pass what is within the limits, and finds one field more', () => {
    expect(findWireProblem(TxRawSchema, emptyFields(3, 10), small)).toBeUndefined()
    expect(findWireProblem(TxRawSchema, emptyFields(3, 11), small)).toMatch(/more than 10 fields/)
    // Unknown fields count too, and so do those of messages within.
    expect(findWireProblem(TxRawSchema, emptyFields(9, 11), small)).toMatch(/more than 10 fields/)
    const body = create(TxBodySchema, { messages: [{ typeUrl: '/a' }, { typeUrl: '/b' }] })
    expect(
      findWireProblem(TxBodySchema, toBinary(TxBodySchema, body), { ...small, maxFields: 4 }),
    ).toBeUndefined()
    expect(
      findWireProblem(TxBodySchema, toBinary(TxBodySchema, body), { ...small, maxFields: 3 }),
    ).toBeDefined()
  })

  it('is over at the limit, whatever the size: the response for 3.9 million fields is that for a few', () => {
    const bomb = emptyFields(15, 3_900_000)
    expect(findWireProblem(QueryAccountRequestSchema, bomb, requestLimits)).toMatch(/more than 65536 fields/)
    expect(decodeMessage(QueryAccountRequestSchema, bomb)).toBeUndefined()
    expect(decodeMessage(QueryAccountRequestSchema, bomb, limitsForSize(bomb.length))).toBeUndefined()
    // The same message with few fields is decoded: what is rejected is the number alone.
    expect(decodeMessage(QueryAccountRequestSchema, emptyFields(15, 10))).toBeDefined()
  })

  it('rejects unknown fields only where they are to be', () => {
    const unknown = emptyFields(9, 1)
    expect(findWireProblem(TxRawSchema, unknown, transactionLimits)).toMatch(/unknown field, 9/)
    expect(findWireProblem(TxRawSchema, unknown, requestLimits)).toBeUndefined()
  })

  it('bounds the depth', () => {
    const nested = (depth: number): Uint8Array => {
      let value: Uint8Array = new Uint8Array(0)
      // google.protobuf.Struct: fields (a map) → value → struct_value (5) → …
      for (let at = 0; at < depth; at++) {
        const struct = fieldOf(5, value)
        value = fieldOf(1, fieldOf(2, struct))
      }
      return value
    }
    const limits = { ...requestLimits, maxDepth: 7 }
    expect(findWireProblem(StructSchema, nested(2), limits)).toBeUndefined()
    expect(findWireProblem(StructSchema, nested(3), limits)).toMatch(/more than 7 deep/)
  })

  it('finds what ends early, groups, and wire types of others', () => {
    const problem = (...bytes: number[]) =>
      findWireProblem(TxRawSchema, Uint8Array.from(bytes), requestLimits)
    expect(problem(0x0a, 5, 1)).toMatch(/ends within/)
    expect(problem(0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)).toMatch(/ends within/)
    expect(problem(0x0b, 0x0c)).toMatch(/wire type/)
    expect(problem(0x4b, 0x4c)).toMatch(/group/)
    expect(problem(0x08, 1)).toMatch(/wire type/)
    expect(problem(0x02, 0)).toMatch(/number/)
    expect(problem(0x48, 0x80)).toMatch(/ends within/)
    expect(problem(0x4d, 1, 2, 3)).toMatch(/ends within/)
    expect(problem(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)).toMatch(/number/)
  })

  it('lets pass all that the encoder writes, and rejects nothing that decodes but groups', () => {
    const any = fc.record({ typeUrl: fc.string(), value: fc.uint8Array({ maxLength: 30 }) })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 20 }), (messages) => {
        const bytes = toBinary(TxBodySchema, create(TxBodySchema, { messages }))
        expect(findWireProblem(TxBodySchema, bytes, requestLimits)).toBeUndefined()
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        for (const schema of [TxRawSchema, TxBodySchema, AnySchema, FieldMaskSchema]) {
          const problem = findWireProblem(schema, bytes, requestLimits)
          // What the walk lets pass may still fail for the UTF-8 of a text.
          if (problem === undefined || /group|wire type|number/.test(problem)) continue
          expect(
            () => fromBinary(schema, bytes),
            `${Buffer.from(bytes).toString('hex')}: ${problem}`,
          ).toThrow()
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

const fieldOf = (number: number, value: Uint8Array): Uint8Array => {
  const length = [value.length & 0x7f]
  if (value.length >= 0x80) length.splice(0, 1, (value.length & 0x7f) | 0x80, value.length >> 7)
  return Uint8Array.from([(number << 3) | 2, ...length, ...value])
}
