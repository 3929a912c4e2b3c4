import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes } from '../bytes.ts'
import { readFields, readVarint, StrictFields } from './protoReader.ts'
import { bytesField, encodeVarint, fixedField, integerField, messageField } from './protoWriter.ts'

const fail = (why: string): Error => new RangeError(why)
const numbers = fc.integer({ min: 1, max: 2 ** 29 - 1 })
const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -200n, max: 40_000n }),
)
const someBytes = fc.uint8Array({ maxLength: 300 })

/** A field as the generated codec writes it, and by hand. */
const fields = fc.oneof(
  fc.tuple(numbers, int64).map(([field, value]) => ({
    library: value === 0n ? [] : new BinaryWriter().tag(field, WireType.Varint).int64(value).finish(),
    byHand: integerField(field, value),
  })),
  fc.tuple(numbers, int64).map(([field, value]) => ({
    library: value === 0n ? [] : new BinaryWriter().tag(field, WireType.Bit64).sfixed64(value).finish(),
    byHand: fixedField(field, value),
  })),
  fc.tuple(numbers, someBytes).map(([field, value]) => ({
    library:
      value.length === 0 ? [] : new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(value).finish(),
    byHand: bytesField(field, value),
  })),
  fc.tuple(numbers, someBytes).map(([field, value]) => ({
    library: new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(value).finish(),
    byHand: messageField(field, value),
  })),
)

test('fields are written as the library writes them, and split where it splits them', () => {
  fc.assert(
    fc.property(fc.array(fields, { maxLength: 8 }), (list) => {
      for (const { library, byHand } of list) expect([...byHand]).toEqual([...library])
      const message = concatBytes(...list.map(({ byHand }) => byHand))
      const reader = new BinaryReader(message)
      for (const { number, bytes, value } of readFields(message) ?? []) {
        const start = reader.pos
        const [field, type] = reader.tag()
        if (type === WireType.LengthDelimited) expect(value).toEqual(reader.bytes())
        else reader.skip(type)
        expect(number).toBe(field)
        expect(bytes).toEqual(message.subarray(start, reader.pos))
      }
      expect(reader.pos).toBe(message.length)
    }),
  )
})

test('strict fields have the values that were written', () => {
  fc.assert(
    fc.property(int64, fc.array(someBytes, { maxLength: 5 }), (integer, list) => {
      const message = concatBytes(integerField(1, integer), ...list.map((bytes) => messageField(2, bytes)))
      const read = new StrictFields(message, 6, fail)
      expect(read.integer(1)).toBe(BigInt.asUintN(64, integer))
      expect(read.list(2)).toEqual(list)
    }),
  )
})

test.each([
  ['a number that is longer than needed', Uint8Array.of(0x08, 0x81, 0x00)],
  ['a number without an end', Uint8Array.of(0x08, 0x81)],
  ['a field that ends behind the message', Uint8Array.of(0x12, 0x02, 0x00)],
  ['a field of fixed length', fixedField(1, 1n)],
  ['a number above 64 bits', Uint8Array.of(0x08, ...Array<number>(9).fill(0xff), 0x02)],
  ['a number that is there twice', concatBytes(integerField(1, 1n), integerField(1, 2n))],
  ['more fields than are allowed', concatBytes(...[1, 2, 3].map((field) => integerField(field, 1n)))],
])('strict fields reject %s', (_, message) => {
  expect(() => new StrictFields(message, 2, fail)).toThrow(RangeError)
})

test.each([
  ['a number without an end', Uint8Array.of(0x08, 0x81)],
  ['a number of more than ten bytes', Uint8Array.of(0x08, ...Array<number>(10).fill(0x81), 0x01)],
  ['a tag without an end', Uint8Array.of(0x81)],
  ['a length without an end', Uint8Array.of(0x12, 0x81)],
  ['a field that ends behind the message', Uint8Array.of(0x12, 0x02, 0x00)],
])('a message is not split that has %s', (_, message) => {
  expect(readFields(message)).toBeUndefined()
})

test('a varint is read back with the place behind it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 49 - 1 }), (value) => {
      const bytes = encodeVarint(value)
      expect([...bytes]).toEqual([...new BinaryWriter().uint64(BigInt(value)).finish()])
      expect(readVarint(bytes, 0, fail)).toEqual([value, bytes.length])
    }),
  )
})
