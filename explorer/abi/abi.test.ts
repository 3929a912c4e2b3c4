import fc from 'fast-check'
import {
  decodeAbiParameters,
  encodeAbiParameters,
  toEventSelector,
  toFunctionSelector,
  type AbiParameter as ViemParameter,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { Decoded } from '../../src/base/abi/decode.ts'
import { signatureOf } from '../../src/base/abi/item.ts'
import { parseAbi, parseSignature } from '../../src/base/abi/parse.ts'
import { bytesToHex } from '../format/hex.ts'
import { decodeParameters } from './decode.ts'
import { actionName, describeCall, describeLog, revertText } from './describe.ts'
import { EncodeProblem, encodeParameters } from './encode.ts'
import { idOf } from './id.ts'
import { knownItems, knownLines } from './known.ts'

/** Types with values of them, as viem has both. */
const scalar: fc.Arbitrary<{ readonly type: string; readonly value: unknown }> = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((value) => ({ type: 'uint256', value })),
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map((value) => ({ type: 'int128', value })),
  fc.boolean().map((value) => ({ type: 'bool', value })),
  fc.string({ maxLength: 80, unit: 'grapheme' }).map((value) => ({ type: 'string', value })),
  fc.uint8Array({ maxLength: 80 }).map((bytes) => ({ type: 'bytes', value: bytesToHex(bytes) })),
  fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => ({ type: 'address', value: bytesToHex(bytes) })),
  fc
    .uint8Array({ minLength: 4, maxLength: 4 })
    .map((bytes) => ({ type: 'bytes4', value: bytesToHex(bytes) })),
)

const parameter = fc.oneof(
  scalar.map(({ type, value }) => ({ parameter: { name: 'a', type } as ViemParameter, value })),
  fc
    .array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 5 })
    .map((value) => ({ parameter: { name: 'a', type: 'uint64[]' } as ViemParameter, value })),
  fc
    .array(fc.string({ maxLength: 40 }), { minLength: 2, maxLength: 2 })
    .map((value) => ({ parameter: { name: 'a', type: 'string[2]' } as ViemParameter, value })),
  fc.array(fc.tuple(scalar, scalar), { minLength: 1, maxLength: 1 }).map(([pair]) => {
    const [x, y] = pair as NonNullable<typeof pair>
    const components = [
      { name: 'x', type: x.type },
      { name: 'y', type: y.type },
    ]
    return {
      parameter: { name: 'a', type: 'tuple[]', components } as ViemParameter,
      value: [
        [x.value, y.value],
        [x.value, y.value],
      ] as unknown,
    }
  }),
)

const bare = (value: Decoded['value']): unknown =>
  Array.isArray(value) ? value.map((one: Decoded) => bare(one.value)) : value

const parametersOf = (list: readonly ViemParameter[]) =>
  parseAbi(JSON.stringify([{ type: 'function', name: 'f', inputs: list }]))?.[0]?.inputs ?? []

/** Values as viem wants them: its tuples are records, ours lists. */
const forViem = (type: string, value: unknown): unknown =>
  type === 'tuple[]' ? (value as readonly (readonly unknown[])[]).map(([x, y]) => ({ x, y })) : value

describe('the ABI codec of the page', () => {
  test('encodes and decodes as viem does', () => {
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 4 }), (list) => {
        const parameters = list.map((one) => one.parameter)
        const expected = encodeAbiParameters(
          parameters,
          list.map((one) => forViem(one.parameter.type, one.value)),
        )
        const own = parametersOf(parameters)
        expect(
          encodeParameters(
            own,
            list.map((one) => one.value),
          ),
        ).toBe(expected)
        expect(decodeParameters(own, expected)?.map(({ value }) => bare(value))).toEqual(
          list.map((one) => one.value),
        )
        expect(decodeAbiParameters(parameters, expected === '0x' ? '0x' : expected)).toHaveLength(list.length)
      }),
    )
  })

  test('whatever the data is, it ends with values or with nothing', () => {
    const [item] =
      parseAbi(
        '[{"type":"function","name":"f","inputs":[{"type":"uint256[][]","name":""},{"type":"string","name":""}]}]',
      ) ?? []
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        decodeParameters(item?.inputs ?? [], bytesToHex(bytes))
      }),
    )
    // More items than a page could show.
    const bomb = `0x${'00'.repeat(31)}20${'00'.repeat(30)}4000${'00'.repeat(32 * 0x4000)}`
    expect(decodeParameters(item?.inputs.slice(0, 1) ?? [], bomb)).toBeUndefined()
  })

  test('names the parameter whose value is wrong', () => {
    const inputs = parseSignature('function', 'f(address to,uint8 small)')?.inputs ?? []
    const to = '0x0000000000000000000000000000000000000001'
    expect(() => encodeParameters(inputs, [to, '256'])).toThrow(EncodeProblem)
    expect(() => encodeParameters(inputs, ['0x1', '1'])).toThrow('an address is needed')
    expect(encodeParameters(inputs, [to, '255']).endsWith('ff')).toBe(true)
    expect(
      encodeParameters(parseSignature('function', 'f(uint256[] list)')?.inputs ?? [], [
        '[123456789012345678901234567890]',
      ]),
    ).toContain('18ee90ff6c373e0ee4e3f0ad2')
  })

  test('a tuple that is typed as an object is encoded by its names', () => {
    const range = parseSignature('function', 'f((uint256 min,uint256 max) range)')?.inputs ?? []
    const encode = (typed: string) => encodeParameters(range, [typed])
    expect(encode('{"max":9,"min":1}')).toBe(encode('[1,9]'))
    for (const typed of ['{"min":1}', '{"min":1,"max":9,"mean":5}', '{"min":1,"most":9}'])
      expect(() => encode(typed)).toThrow('exactly these names are needed: min, max')
    expect(() => encode('[1]')).toThrow('2 values are needed')
    const bounds = parseSignature('function', 'f(((uint256 min,uint256 max) x,string name)[] list)')?.inputs
    expect(encodeParameters(bounds ?? [], ['[{"name":"a","x":{"max":9,"min":1}}]'])).toBe(
      encodeParameters(bounds ?? [], ['[[[1,9],"a"]]']),
    )
  })

  test('an object is rejected where names say nothing', () => {
    for (const signature of [
      'f((uint256,uint256) pair)',
      'f((uint256 a,uint256 a) pair)',
      'f(uint256[] list)',
      'f(uint256[2] pair)',
    ])
      for (const typed of ['{"a":1,"b":9}', '{"a":1}', '{"0":1,"1":9}', '{"":1}'])
        expect(() => encodeParameters(parseSignature('function', signature)?.inputs ?? [], [typed])).toThrow(
          'a list is needed',
        )
  })

  test('what JSON has in place of a number or a text is not made one', () => {
    for (const [type, typed, problem] of [
      ['uint256[]', '[[]]', 'a whole number'],
      ['uint256[]', '[[7]]', 'a whole number'],
      ['uint256[]', '[true]', 'a whole number'],
      ['uint256[]', '[1e23]', 'a whole number'],
      ['uint256[]', '[null]', 'a whole number'],
      ['string[]', '[{"a":1}]', 'a text is needed'],
      ['string[]', '[null]', 'a text is needed'],
    ] as const)
      expect(() =>
        encodeParameters(parseSignature('function', `f(${type} list)`)?.inputs ?? [], [typed]),
      ).toThrow(problem)
  })
})

describe('the table of common signatures', () => {
  test('every line can be read, and no two are the same', () => {
    const items = knownItems()
    expect(items.length).toBe(knownLines)
    expect(new Set(items.map((item) => `${item.kind} ${signatureOf(item)}`)).size).toBe(items.length)
  })

  test('has the ids that everybody knows', () => {
    for (const item of knownItems()) {
      const expected =
        item.kind === 'event' ? toEventSelector(signatureOf(item)) : toFunctionSelector(signatureOf(item))
      expect(idOf(item)).toBe(expected)
    }
  })
})

describe('descriptions', () => {
  const holder = '0x000000000000000000000000f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
  const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

  test('a call of a token', () => {
    const described = describeCall(`0xa9059cbb${holder.slice(2)}${'00'.repeat(31)}07`, null)
    expect(described?.item.name).toBe('transfer')
    expect(described?.values.map(({ value }) => value)).toEqual([
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
      7n,
    ])
  })

  test('the two forms of Transfer', () => {
    const address = '0x5fbdb2315678afecb367f032d93f642f64180aa3'
    const word = `0x${'00'.repeat(31)}09` as const
    const fungible = describeLog({ address, topics: [transfer, holder, holder], data: word })
    const item = describeLog({ address, topics: [transfer, holder, holder, word], data: '0x' })
    expect(fungible?.values.at(-1)).toMatchObject({ name: 'value', value: 9n })
    expect(item?.values.at(-1)).toMatchObject({ name: 'tokenId', value: 9n })
  })

  test('an event without a topic for its signature is not looked for by it', () => {
    const event = { type: 'event', name: 'Noted', inputs: [{ name: 'a', type: 'uint256', indexed: true }] }
    const names = (list: readonly object[]) => parseAbi(JSON.stringify(list))?.map(({ name }) => name)
    const other = { type: 'function', name: 'f', inputs: [], outputs: [] }
    expect(names([event, other])).toEqual(['Noted', 'f'])
    expect(names([{ ...event, anonymous: false }, other])).toEqual(['Noted', 'f'])
    expect(names([{ ...event, anonymous: true }, other])).toEqual(['f'])
  })

  test('what a transaction does, of Ethereum and of Cosmos', () => {
    const plain = { input: '0x', to: `0x${'11'.repeat(20)}` } as const
    expect(actionName({ ...plain, cosmos: { types: ['/cosmos.bank.v1beta1.MsgSend'] } })).toBe('MsgSend')
    expect(actionName({ ...plain, cosmos: { types: ['/a.MsgOne', '/a.MsgTwo', '/a.MsgTwo'] } })).toBe(
      'MsgOne +2',
    )
    expect(actionName({ ...plain, cosmos: {} })).toBe(actionName(plain))
  })

  test('reasons of reverts', () => {
    const text = encodeAbiParameters([{ type: 'string' }], ['not <b>enough</b>'])
    expect(revertText(`0x08c379a0${text.slice(2)}`)).toBe('not <b>enough</b>')
    expect(revertText(`0x4e487b71${'00'.repeat(31)}11`)).toBe('Panic 17: arithmetic underflow or overflow')
    expect(revertText('0xd93c0665')).toBe('EnforcedPause()')
    expect(revertText('0x12345678')).toBeUndefined()
  })
})
