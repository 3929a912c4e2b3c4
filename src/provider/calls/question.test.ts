import { expect, test } from 'vitest'
import { callOf, simulationOf } from './question.ts'

const address = `0x${'cc'.repeat(20)}`
const invalid = expect.objectContaining({ code: -32602 })

const thrown = (run: () => unknown): unknown => {
  try {
    return run()
  } catch (error) {
    return error
  }
}

test.each([
  ['a number', 5],
  ['a text', 'x'],
  ['a list', []],
  ['null', null],
  ['state beside stateDiff', { state: {}, stateDiff: {} }],
])('an override that is %s is rejected: a call without it would be another request', (_, override) => {
  const overrides = { [address]: override }
  expect(thrown(() => callOf('eth_call', 'call', [{ to: address }, 'latest', overrides]))).toEqual(invalid)
  expect(thrown(() => simulationOf([{ blockStateCalls: [{ stateOverrides: overrides }] }]))).toEqual(invalid)
})

test.each([
  ['a text', 'xy'],
  ['a list', []],
])('overrides of a block that are %s are rejected', (_, header) => {
  expect(thrown(() => simulationOf([{ blockStateCalls: [{ blockOverrides: header }] }]))).toEqual(invalid)
})

test('an override of a balance is taken', () => {
  const { json } = callOf('eth_call', 'call', [{ to: address }, 'latest', { [address]: { balance: '0x1' } }])
  expect(json).toMatchObject({ stateOverrides: { [address]: { balance: '0x1' } } })
})
