import { solidityPackedKeccak256 } from 'ethers'
import { describe, expect, test } from 'vitest'
import { toHex } from '../../base/encoding/hex.ts'
import { TypedDataError } from './typedData.ts'
import { type NamedValue, typedDataV1Hash } from './typedDataV1.ts'

const hashOfEthers = (values: readonly NamedValue[]): string =>
  solidityPackedKeccak256(
    ['bytes32', 'bytes32'],
    [
      solidityPackedKeccak256(
        values.map(() => 'string'),
        values.map(({ type, name }) => `${type} ${name}`),
      ),
      solidityPackedKeccak256(
        values.map(({ type }) => type),
        values.map(({ value }) => value),
      ),
    ],
  )

const values: readonly NamedValue[] = [
  { type: 'string', name: 'message', value: 'Hi, Alice! ☀' },
  { type: 'uint8', name: 'small', value: 10 },
  { type: 'uint256', name: 'large', value: '123456789012345678901234567890' },
  { type: 'int16', name: 'below', value: -5 },
  { type: 'bool', name: 'isRight', value: true },
  { type: 'address', name: 'who', value: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' },
  { type: 'bytes4', name: 'four', value: '0xdeadbeef' },
  { type: 'bytes', name: 'some', value: '0x0102' },
  { type: 'uint16[]', name: 'many', value: [1, 2, 3] },
  { type: 'bool[2]', name: 'both', value: [true, false] },
]

describe('the hash of a list of named values', () => {
  test('is that of values packed by ethers', () => {
    expect(toHex(typedDataV1Hash(values))).toBe(hashOfEthers(values))
    for (const each of values) expect(toHex(typedDataV1Hash([each]))).toBe(hashOfEthers([each]))
  })

  test.each([
    ['uint8', 256],
    ['uint', 1],
    ['string', 1],
    ['bytes4', '0x01'],
    ['bool[2]', [true]],
    ['bool[]', true],
    ['string[]', ['a']],
    ['uint8[][]', [[1]]],
    ['Person', {}],
  ])('%s does not take %j', (type, value) => {
    expect(() => typedDataV1Hash([{ type, name: 'a', value }])).toThrow(TypedDataError)
  })
})
