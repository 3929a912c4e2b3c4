import { describe, expect, test } from 'vitest'
import { BlockOverrides, StateOverrides } from './overrides.ts'

const address = `0x${'33'.repeat(20)}`
const addressBytes = new Uint8Array(20).fill(0x33)
const word = `0x${'44'.repeat(32)}`
const wordBytes = new Uint8Array(32).fill(0x44)

describe('overrides', () => {
  test('of the state, by address', () => {
    const overrides = {
      [address]: { nonce: '0x1', balance: '0x2', code: '0x00', stateDiff: { [word]: word } },
    }
    expect(StateOverrides.schema.parse(overrides)).toEqual([
      {
        address: addressBytes,
        nonce: 1n,
        balance: 2n,
        code: new Uint8Array([0]),
        stateDiff: [[wordBytes, wordBytes]],
      },
    ])
    expect(StateOverrides.schema.parse({})).toEqual([])
  })

  test.each([
    [{ '0x12': {} }, 'expected an object from addresses to what is different there'],
    [{ [address]: { state: {}, stateDiff: {} } }, 'expected state or stateDiff, not both'],
    [{ [address]: { state: { '0x1': word } } }, 'expected slots and values of 32 bytes each'],
    [{ [address]: { state: { [word]: '0x1' } } }, 'expected 32 bytes: 0x and 64 hex digits'],
    [
      { [address]: { balance: 1 } },
      'expected a QUANTITY: 0x and hex digits without leading zeros, at most 256 bits',
    ],
    [[], 'expected an object from addresses to what is different there'],
  ])('%j is rejected', (overrides, message) => {
    expect(StateOverrides.schema.safeParse(overrides).error?.issues[0]?.message).toBe(message)
  })

  test('of the block', () => {
    expect(BlockOverrides.schema.parse({ number: '0x1', time: null, feeRecipient: address })).toEqual({
      number: 1n,
      feeRecipient: addressBytes,
    })
    expect(BlockOverrides.schema.safeParse({ number: 1 }).error?.issues[0]?.path).toEqual(['number'])
  })
})
