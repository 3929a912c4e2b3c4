import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AbiStore } from './abiStore.ts'

let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'abis-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const address = (number: number): string => `0x${number.toString(16).padStart(40, '0')}`
const abi = [{ type: 'function', name: 'go', inputs: [] }]

test('an ABI is there after the next start, until it is removed', () => {
  const store = new AbiStore(home)
  expect(store.all()).toEqual([])
  store.set({ address: address(1), name: 'One', abi })
  store.set({ address: address(2), name: 'Two', abi })
  store.set({ address: address(1), name: 'Other', abi })
  expect(new AbiStore(home).all().map(({ name }) => name)).toEqual(['Two', 'Other'])
  expect(store.remove(address(2))).toBe(true)
  expect(store.remove(address(2))).toBe(false)
  expect(new AbiStore(home).all()).toEqual([{ address: address(1), name: 'Other', abi }])
  expect(readdirSync(home)).toEqual(['abis.json'])
})

test('the oldest give way where there are many, or they are large', () => {
  const store = new AbiStore(home)
  const large = [{ name: 'x'.repeat(400_000) }]
  for (let number = 0; number < 15; number++) store.set({ address: address(number), name: 'x', abi: large })
  expect(store.all().map((one) => one.address)).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14].map(address))
})

test('a file that was spoiled is as none', () => {
  writeFileSync(join(home, 'abis.json'), '[{"address":1}, null, 5')
  expect(new AbiStore(home).all()).toEqual([])
  writeFileSync(join(home, 'abis.json'), '[{"address":1}, null, 5]')
  expect(new AbiStore(home).all()).toEqual([])
})
