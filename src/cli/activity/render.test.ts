import { expect, test } from 'vitest'
import { fold, pack, toolName } from './render.ts'

test.each([
  ['hardhat 2.29.1 (linux; node)', 'hardhat 2.29.1'],
  ['ethers/6.13.0', 'ethers 6.13.0'],
  ['web3.py/7.0.0/web3.providers', 'web3.py 7.0.0'],
  ['node', 'node'],
  ['Mozilla/5.0 (X11; Linux x86_64)', 'a browser'],
  ['\x1b[2J', undefined],
  [undefined, undefined],
])('the tool that calls itself %j', (userAgent, name) => {
  expect(toolName(userAgent)).toBe(name)
})

test('long text is broken between words, and anywhere if it has none', () => {
  expect(fold('a transfer of tokens\nfailed', 12)).toEqual(['a transfer', 'of tokens', 'failed'])
  expect(fold('x'.repeat(25), 10)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  expect(fold('', 10)).toEqual([''])
  expect(fold('Insufficient(0x00112233445566, 7)', 18)).toEqual(['Insufficient(', '0x00112233445566,', '7)'])
})

test('parts stay whole on as few lines as have room for them', () => {
  expect(pack(['one two', 'three', 'four'], 14)).toEqual(['one two  three', 'four'])
  expect(pack(['x'.repeat(12), 'y'], 10)).toEqual(['x'.repeat(10), 'xx  y'])
})
