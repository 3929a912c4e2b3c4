import { expect, test } from 'vitest'
import { parseAbi } from '../../src/base/abi/parse.ts'
import { parseType } from '../../src/base/abi/type.ts'
import { decodeParameters } from './decode.ts'

/** An ABI as a text, with one function of these inputs. */
const abiOf = (inputs: string): string => `[{"type":"function","name":"f","inputs":${inputs}}]`

test('tuples that never end are not an ABI', () => {
  const deep = 50_000
  const open = '[{"type":"tuple","components":'.repeat(deep)
  expect(parseAbi(abiOf(`${open}[]${'}]'.repeat(deep)}`))).toBeUndefined()
  const few = '[{"type":"tuple","components":'.repeat(5)
  expect(parseAbi(abiOf(`${few}[]${'}]'.repeat(5)}`))).toHaveLength(1)
})

test('neither is a million entries, or a million parameters', () => {
  const entry = '{"type":"event","name":"E"}'
  expect(parseAbi(`[${Array.from({ length: 1e6 }, () => entry).join()}]`)).toBeUndefined()
  const parameter = '{"type":"uint256"}'
  expect(parseAbi(abiOf(`[${Array.from({ length: 1e5 }, () => parameter).join()}]`))).toBeUndefined()
})

test('lists of lists of lists end', () => {
  expect(parseType(`uint256${'[]'.repeat(100_000)}`)).toBeUndefined()
  expect(parseType(`uint256${'[9]'.repeat(10)}`)).toBeDefined()
})

test('an ABI that is not a list, and invalid entries, are left out', () => {
  for (const text of ['null', '7', '"abi"', '{}', '{"abi":{}}', '[null,7,"x",[]]', '[{"inputs":7}]'])
    expect(parseAbi(text)).toBeUndefined()
})

test('items that all lead to the same bytes are not read out one by one', () => {
  const type = parseType('bytes[]')
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  const count = 3000
  const size = 100_000
  const items = Array.from({ length: count }, () => word(32 * count)).join('')
  const data = `${word(32)}${word(count)}${items}${word(size)}${'ab'.repeat(size)}`
  expect(type && decodeParameters([{ name: '', type, indexed: false }], data)).toBeUndefined()
})
