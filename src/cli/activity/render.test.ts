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

test('hex is never broken: it has a line of its own, or one that is too long', () => {
  const address = `0x${'aB'.repeat(20)}`
  const data = `0x${'0123456789abcdef'.repeat(10)}`
  expect(fold(`no: ${address}, 7`, 42)).toEqual(['no:', address, ', 7'])
  expect(fold(`no:${address}`, 5)).toEqual([`no:${address}`])
  expect(fold(`reverted: ${data} and more`, 71)).toEqual([`reverted: ${data}`, 'and more'])
  expect(fold(`custom error 0x12345678: ${data.slice(2)}`, 71).join('|')).toBe(
    `custom error 0x12345678:|${data.slice(2)}`,
  )
  expect(fold(`${data} ${data}`, Number.POSITIVE_INFINITY)).toEqual([`${data} ${data}`])
})

test('parts stay whole on as few lines as have room for them', () => {
  expect(pack(['one two', 'three', 'four'], 14)).toEqual(['one two  three', 'four'])
  expect(pack(['x'.repeat(12), 'y'], 10)).toEqual(['x'.repeat(10), 'xx  y'])
})
