import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { hashTypedData } from 'viem'
import { describe, expect, test } from 'vitest'
import { slow } from '../../../test/support/slow.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { type TypedData, TypedDataError, typedDataHash } from './typedData.ts'

/** A value as JSON has it, and as the libraries want it. */
interface Both {
  readonly json: unknown
  readonly native: unknown
}

const same = (value: unknown): Both => ({ json: value, native: value })

const integer = (bits: number, isSigned: boolean): fc.Arbitrary<Both> => {
  const range = 2n ** BigInt(bits)
  const [min, max] = isSigned ? [-range / 2n, range / 2n - 1n] : [0n, range - 1n]
  return fc.tuple(fc.bigInt({ min, max }), fc.boolean()).map(([value, asHex]) => ({
    json: asHex && value >= 0n ? `0x${value.toString(16)}` : String(value),
    native: value,
  }))
}

const hexOf = (min: number, max: number): fc.Arbitrary<Both> =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => same(toHex(bytes)))

const width = fc.integer({ min: 1, max: 32 })

/** A type without members, and its values. */
const atom: fc.Arbitrary<{ readonly type: string; readonly value: fc.Arbitrary<Both> }> = fc.oneof(
  fc.constant({ type: 'string', value: fc.string({ unit: 'grapheme' }).map(same) }),
  fc.constant({ type: 'bytes', value: hexOf(0, 70) }),
  fc.constant({ type: 'bool', value: fc.boolean().map(same) }),
  fc.constant({ type: 'address', value: hexOf(20, 20) }),
  width.map((bytes) => ({ type: `bytes${bytes}`, value: hexOf(bytes, bytes) })),
  width.map((bytes) => ({ type: `uint${bytes * 8}`, value: integer(bytes * 8, false) })),
  width.map((bytes) => ({ type: `int${bytes * 8}`, value: integer(bytes * 8, true) })),
)

interface Shape {
  readonly type: string
  readonly types: TypedData['types']
  readonly value: fc.Arbitrary<Both>
}

const arrayOf = (shape: Shape, length: number | undefined): Shape => ({
  ...shape,
  type: `${shape.type}[${length ?? ''}]`,
  value: fc.array(shape.value, { minLength: length ?? 0, maxLength: length ?? 3 }).map((items) => ({
    json: items.map(({ json }) => json),
    native: items.map(({ native }) => native),
  })),
})

const structOf = (name: string, members: readonly Shape[]): Shape => ({
  type: name,
  types: Object.assign({}, ...members.map(({ types }) => types), {
    [name]: members.map(({ type }, index) => ({ name: `m${index}`, type })),
  }) as TypedData['types'],
  value: fc.tuple(...members.map(({ value }) => value)).map((values) => ({
    json: Object.fromEntries(values.map(({ json }, index) => [`m${index}`, json])),
    native: Object.fromEntries(values.map(({ native }, index) => [`m${index}`, native])),
  })),
})

/** Structs of structs and arrays, some levels deep; names tell the levels apart, so that no type contains itself. */
const shape = (level: number): fc.Arbitrary<Shape> => {
  const leaf = atom.map(({ type, value }): Shape => ({ type, types: {}, value }))
  const inner =
    level === 0 ? leaf : fc.oneof({ weight: 2, arbitrary: leaf }, { weight: 1, arbitrary: struct(level) })
  return fc
    .tuple(inner, fc.array(fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }), { maxLength: 2 }))
    .map(([item, lengths]) => lengths.reduce(arrayOf, item))
}

let names = 0
const struct = (level: number): fc.Arbitrary<Shape> =>
  fc
    .array(shape(level - 1), { minLength: 1, maxLength: 4 })
    .map((members) => structOf(`T${names++}`, members))

const domain = fc.record(
  {
    name: fc.string(),
    // viem takes an empty version for none.
    version: fc.string({ minLength: 1 }),
    chainId: fc.integer({ min: 1, max: 2 ** 31 }),
    verifyingContract: fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex),
    salt: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHex),
  },
  { requiredKeys: [] },
)

const cases = fc.tuple(
  struct(3).chain(({ type, types, value }) => value.map((message) => ({ type, types, message }))),
  domain,
)

describe('the hash of typed data', () => {
  test('is that of ethers', slow, () => {
    fc.assert(
      fc.property(cases, ([{ type, types, message }, given]) => {
        const hash = typedDataHash({
          types,
          primaryType: type,
          domain: given,
          message: message.json as never,
        })
        const theirs = TypedDataEncoder.hash(given, types as never, message.native as never)
        expect(toHex(hash)).toBe(theirs)
      }),
      { numRuns: 300 },
    )
  })

  test('is that of viem', slow, () => {
    fc.assert(
      fc.property(cases, ([{ type, types, message }, given]) => {
        const hash = typedDataHash({
          types,
          primaryType: type,
          domain: given,
          message: message.json as never,
        })
        const theirs = hashTypedData({
          types,
          primaryType: type,
          domain: given,
          message: message.native,
        } as never)
        expect(toHex(hash)).toBe(theirs)
      }),
      { numRuns: 300 },
    )
  })

  test('is that of the standard’s example', () => {
    const person = [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ]
    const hash = typedDataHash({
      types: {
        EIP712Domain: [
          { name: 'name', type: 'string' },
          { name: 'version', type: 'string' },
          { name: 'chainId', type: 'uint256' },
          { name: 'verifyingContract', type: 'address' },
        ],
        Person: person,
        Mail: [
          { name: 'from', type: 'Person' },
          { name: 'to', type: 'Person' },
          { name: 'contents', type: 'string' },
        ],
      },
      primaryType: 'Mail',
      domain: {
        name: 'Ether Mail',
        version: '1',
        chainId: 1,
        verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
      },
      message: {
        from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
        to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
        contents: 'Hello, Bob!',
      },
    })
    expect(toHex(hash)).toBe('0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2')
  })

  test('takes a type that holds itself', () => {
    const types = {
      Node: [
        { name: 'label', type: 'string' },
        { name: 'children', type: 'Node[]' },
      ],
    }
    const message = { label: 'a', children: [{ label: 'b', children: [] }] }
    const hash = typedDataHash({ types, primaryType: 'Node', domain: {}, message })
    expect(toHex(hash)).toBe(hashTypedData({ types, primaryType: 'Node', domain: {}, message } as never))
  })

  test('of a domain alone leaves the message out', () => {
    const given = { name: 'a', version: '1' }
    const types = {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
      ],
    }
    const hash = typedDataHash({ types, primaryType: 'EIP712Domain', domain: given, message: {} })
    expect(toHex(hash)).toBe(
      hashTypedData({ types, primaryType: 'EIP712Domain', domain: given, message: {} } as never),
    )
  })

  const hashOf = (type: string, value: unknown) => () =>
    typedDataHash({
      types: { A: [{ name: 'a', type }] },
      primaryType: 'A',
      domain: {},
      message: value === undefined ? {} : { a: value },
    })

  test.each([
    ['string', 1],
    ['string', undefined],
    ['bytes', '0x1'],
    ['bytes', 'text'],
    ['bytes4', '0x010203'],
    ['bytes0', '0x'],
    ['bytes33', `0x${'00'.repeat(33)}`],
    ['bool', 'true'],
    ['bool', 1],
    ['address', '0x01'],
    ['address', null],
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['int8', '-129'],
    ['uint256', 1.5],
    ['uint256', 2 ** 53],
    ['uint256', '1e3'],
    ['uint256', `0x1${'00'.repeat(32)}`],
    ['uint', 1],
    ['uint7', 1],
    ['uint264', 1],
    ['uint8[2]', [1]],
    ['uint8[]', 1],
    ['uint8[][]', [1]],
    ['Unknown', {}],
    ['A', 'text'],
    ['constructor', {}],
  ])('%s does not take %j', (type, value) => {
    expect(hashOf(type, value)).toThrow(TypedDataError)
    expect(hashOf(type, value)).toThrow(/^message\.a/)
  })

  test('an array may have more items than a function call has arguments', () => {
    const types = { A: [{ name: 'a', type: 'uint8[]' }] }
    const hash = typedDataHash({
      types,
      primaryType: 'A',
      domain: {},
      message: { a: new Array(200_000).fill(1) },
    })
    expect(hash).toHaveLength(32)
  })

  test('ends where data is nested without end', () => {
    let message: unknown = { a: [] }
    for (let depth = 0; depth < 1000; depth++) message = { a: [message] }
    const types = { A: [{ name: 'a', type: 'A[]' }] }
    expect(() => typedDataHash({ types, primaryType: 'A', domain: {}, message: message as never })).toThrow(
      'nested too deep',
    )
  })

  test('names a primary type that is not there', () => {
    expect(() => typedDataHash({ types: {}, primaryType: 'Mail', domain: {}, message: {} })).toThrow(
      'there is no type Mail',
    )
  })
})
