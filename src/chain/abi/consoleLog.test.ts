import { encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { fromHex } from '../../base/encoding/hex.ts'
import { decodeConsoleLog } from './consoleLog.ts'

const encode = (types: readonly string[], values: readonly unknown[]): Uint8Array => {
  const inputs = types.map((type) => ({ type, name: '' }))
  const abi = [{ type: 'function', name: 'log', inputs, outputs: [], stateMutability: 'view' }]
  return fromHex(encodeFunctionData({ abi, functionName: 'log', args: values } as never) as Hex)
}

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const samples: Readonly<Record<string, readonly [value: unknown, shown: string]>> = {
  uint256: [2n ** 256n - 1n, (2n ** 256n - 1n).toString()],
  int256: [-5n, '-5'],
  string: ['hällo', 'hällo'],
  bool: [true, 'true'],
  address: [address, address],
}

describe('a line of the console', () => {
  test('of every combination of up to four values', () => {
    let combinations: string[][] = [[]]
    for (let count = 1; count <= 4; count++) {
      combinations = combinations.flatMap((types) => Object.keys(samples).map((type) => [...types, type]))
      for (const types of combinations) {
        const given = types.map((type) => samples[type] as readonly [unknown, string])
        const line = decodeConsoleLog(
          encode(
            types,
            given.map(([value]) => value),
          ),
        )
        expect(line, types.join()).toBe(given.map(([, shown]) => shown).join(' '))
      }
    }
  })

  test('of bytes, and of nothing', () => {
    expect(decodeConsoleLog(encode(['bytes'], ['0x0102']))).toBe('0x0102')
    for (const size of [1, 4, 32])
      expect(decodeConsoleLog(encode([`bytes${size}`], [`0x${'ab'.repeat(size)}`]))).toBe(
        `0x${'ab'.repeat(size)}`,
      )
    expect(decodeConsoleLog(encode([], []))).toBe('')
  })

  test('of the names that earlier versions gave integers', () => {
    // log(uint) and log(string,uint)
    expect(decodeConsoleLog(fromHex(`0xf5b1bba9${'00'.repeat(31)}07`))).toBe('7')
    const [, ...rest] = encode(['string', 'uint256'], ['n', 7n]).subarray(3)
    expect(decodeConsoleLog(Uint8Array.from([...fromHex('0x9710a9d0'), ...rest]))).toBe('n 7')
  })

  test.each([
    [['string', 'uint256'], ['%d coins', 5n], '5 coins'],
    [['string', 'uint256', 'string'], ['%i of %s', 5n, 'six'], '5 of six'],
    [['string', 'string'], ['100%% of', 'all'], '100% of all'],
    [['string', 'uint256'], ['a %s b', 1n], 'a 1 b'],
    [['string'], ['%s %d'], '%s %d'],
    [['string', 'bool'], ['none', false], 'none false'],
  ])('formats as %s: %s', (types, values, line) => {
    expect(decodeConsoleLog(encode(types, values))).toBe(line)
  })

  test.each([
    ['nothing', new Uint8Array(0)],
    ['an unknown selector', fromHex('0x01020304')],
    ['values that end too early', encode(['uint256'], [1n]).subarray(0, 20)],
    ['a text that ends too early', encode(['string'], ['hello']).subarray(0, 68)],
    ['an offset beyond the end', fromHex(`0x41304fac${'ff'.repeat(32)}`)],
  ])('is undefined for %s', (_, input) => {
    expect(decodeConsoleLog(input)).toBeUndefined()
  })
})
