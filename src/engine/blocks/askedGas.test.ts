import { expect, it } from 'vitest'
import { AskedGas } from './askedGas.ts'

it('asks for as many times the gas of a block as the last one needed', () => {
  const gas = new AskedGas()
  expect(gas.limitFor(30_000_000n)).toBe(30_000_000n)
  gas.note(30_000_000n, 10_000_000n)
  expect(gas.limitFor(30_000_000n)).toBe(90_000_000n)
  gas.note(0n, 0n)
  expect(gas.limitFor(30_000_000n)).toBe(90_000_000n)
  gas.note(21_000n, 21_000n)
  expect(gas.limitFor(30_000_000n)).toBe(30_000_000n)
})

it('has a bound', () => {
  const gas = new AskedGas()
  gas.note(1_000_000_000_000n, 21_000n)
  expect(gas.limitFor(30_000_000n)).toBe(30_000_000_000n)
  // Refunds to impersonated accounts and the like are no reason to fill less than a block.
  gas.note(1n, 2n)
  expect(gas.limitFor(30_000_000n)).toBe(30_000_000n)
})
