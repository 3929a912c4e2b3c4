import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slow } from '../../test/support/slow.ts'
import { ContractRegistry } from './contractRegistry.ts'

const output = (object: string, references: object = {}) => ({
  contracts: {
    'a.sol': { A: { abi: [{ type: 'error' }], evm: { deployedBytecode: { object, ...references } } } },
  },
})

test('a contract is found by its code', () => {
  const registry = new ContractRegistry()
  registry.add(output('600160020a'))
  expect(registry.find(Buffer.from('600160020a', 'hex'))).toMatchObject({ name: 'A', source: 'a.sol' })
  expect(registry.find(Buffer.from('600160020b', 'hex'))).toBeUndefined()
  expect(registry.find(new Uint8Array(0))).toBeUndefined()
  expect(registry.all()).toHaveLength(1)
  // Some tools write it before the code.
  registry.add(output('0x600360040b'))
  expect(registry.find(Buffer.from('600360040b', 'hex'))).toMatchObject({ name: 'A' })
})

test('immutables and addresses of libraries may be anything', () => {
  const registry = new ContractRegistry()
  const library = `__$${'a1'.repeat(17)}$__`
  registry.add(
    output(`60${'00'.repeat(2)}73${library}00`, {
      immutableReferences: { 7: [{ start: 1, length: 2 }] },
      linkReferences: { 'b.sol': { B: [{ start: 4, length: 20 }] } },
    }),
  )
  expect(registry.find(Buffer.from(`60abcd73${'ee'.repeat(20)}00`, 'hex'))?.name).toBe('A')
  expect(registry.find(Buffer.from(`61abcd73${'ee'.repeat(20)}00`, 'hex'))).toBeUndefined()
})

test('what no compiler writes is skipped', () => {
  fc.assert(
    fc.property(
      fc.object({ key: fc.constantFrom('contracts', 'a', 'abi', 'evm', 'deployedBytecode') }),
      (value) => {
        const registry = new ContractRegistry()
        registry.add(value)
        registry.find(Uint8Array.of(1))
      },
    ),
  )
})

test('contracts that take much memory give way to newer ones', slow, () => {
  const registry = new ContractRegistry()
  const abi = Array.from({ length: 70_000 }, () => ({}))
  for (let count = 0; count < 100; count++)
    registry.add({ contracts: { 'a.sol': { [`C${count}`]: { abi } } } })
  const names = registry.all().map(({ name }) => name)
  expect(names[0]).toBe('C99')
  expect(names.length).toBeLessThan(40)
})

test('a contract has its source, and is found by the code that creates it', () => {
  const registry = new ContractRegistry()
  const contract = {
    abi: [],
    evm: {
      bytecode: { object: '6005600055', sourceMap: '1:2:0:-:0' },
      deployedBytecode: { object: '600160020a', sourceMap: '3:4:0:-:0' },
    },
  }
  registry.add(
    { sources: { 'a.sol': { id: 0 }, 'b.sol': { id: 1 } }, contracts: { 'a.sol': { A: contract } } },
    { sources: { 'a.sol': { content: 'contract A {}' }, 'b.sol': { urls: [] } } },
  )
  const found = registry.findCreated(Buffer.from('6005600055ffff', 'hex'))
  expect(found).toMatchObject({
    name: 'A',
    deployed: { sourceMap: '3:4:0:-:0' },
    creation: { sourceMap: '1:2:0:-:0' },
  })
  expect(found?.compilation.files).toEqual([{ id: 0, path: 'a.sol', content: 'contract A {}' }])
  expect(registry.findCreated(Buffer.from('6005600056ffff', 'hex'))).toBeUndefined()
  expect(registry.findCreated(new Uint8Array(0))).toBeUndefined()
})

test('sources that take much memory give way to newer ones, and are counted once', () => {
  const registry = new ContractRegistry()
  const content = 'x'.repeat(20e6)
  for (let run = 0; run < 5; run++)
    registry.add(
      { sources: { a: { id: 0 } }, contracts: { a: { [`A${run}`]: {}, [`B${run}`]: {} } } },
      { sources: { a: { content } } },
    )
  expect(registry.all().map(({ name }) => name)).toEqual(['B4', 'A4', 'B3', 'A3', 'B2', 'A2'])
})
