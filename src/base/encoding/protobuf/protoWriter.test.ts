import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ExecTxResultSchema } from '../../../engine/cometbft/abci/gen/perihelion/abci/v1/abci_pb.ts'
import { type ProtoFields, ProtoWriter } from './protoWriter.ts'

const results = fc.record({
  code: fc.nat(2 ** 31),
  data: fc.nat(40_000).map((length) => new Uint8Array(length).fill(length)),
  log: fc.string({ unit: 'binary', maxLength: 300 }),
  gasWanted: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  gasUsed: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
  events: fc.array(
    fc.record({
      type: fc.string({ maxLength: 200 }),
      attributes: fc.array(fc.record({ key: fc.string(), value: fc.uint8Array(), index: fc.boolean() })),
    }),
    { maxLength: 5 },
  ),
})

test('what is written is what the library writes', () => {
  const writer = new ProtoWriter()
  fc.assert(
    fc.property(results, ({ code, data, log, gasWanted, gasUsed, events }) => {
      const written = writer.write((to) => {
        to.integer(1, code)
        to.bytes(2, data)
        to.text(3, log)
        to.integer(5, gasWanted)
        to.integer(6, gasUsed)
        for (const { type, attributes } of events) {
          to.begin(7)
          to.text(1, type)
          for (const { key, value, index } of attributes) {
            to.begin(2)
            to.text(1, key)
            to.bytes(2, value)
            to.integer(3, Number(index))
            to.end()
          }
          to.end()
        }
      })
      const expected = create(ExecTxResultSchema, { code, data, log, gasWanted, gasUsed, events })
      expect(written).toEqual(toBinary(ExecTxResultSchema, expected))
    }),
    { numRuns: 300 },
  )
})

test('a message of megabytes is written whole, and its buffer is not kept', () => {
  const writer = new ProtoWriter()
  const written = writer.write((to) => {
    to.begin(7)
    for (let i = 0; i < 40; i++) to.bytes(2, new Uint8Array(100_000).fill(i))
    to.end()
  })
  expect(written.length).toBe(40 * 100_004 + 5)
  expect(writer.write((to) => to.integer(1, 5))).toEqual(Uint8Array.of(8, 5))
})

test.each<readonly [string, string, (to: ProtoFields) => void]>([
  ['leaves a message open', 'a message is open', (to) => to.begin(1)],
  ['ends one that is not open', 'no message is open', (to) => to.end()],
  [
    'fails in a message of a message',
    'no such log',
    (to) => {
      to.begin(1)
      to.text(1, 'half')
      to.begin(2)
      throw new Error('no such log')
    },
  ],
])('one that %s is an error, and the next message is whole', (_, error, fill) => {
  const writer = new ProtoWriter()
  expect(() => writer.write(fill)).toThrow(error)
  expect(writer.write((to) => to.integer(1, 5))).toEqual(Uint8Array.of(8, 5))
})

test('one message is written at a time', () => {
  const writer = new ProtoWriter()
  const nested = (to: ProtoFields): void => {
    to.integer(1, 5)
    writer.write((other) => other.integer(1, 6))
  }
  expect(() => writer.write(nested)).toThrow('another message is being written')
  expect(writer.write((to) => to.integer(1, 5))).toEqual(Uint8Array.of(8, 5))
})
