import { describe, expect, test } from 'vitest'
import { concatBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toEntries } from '../../chain/state/overrides.ts'
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
        stateDiff: concatBytes(wordBytes, wordBytes),
      },
    ])
    expect(StateOverrides.schema.parse({})).toEqual([])
  })

  test('slots in any form are slots and values, one after the other; of two names of one slot the last one counts', () => {
    const upper = (text: string): string => `0x${text.slice(2).toUpperCase()}`
    const slot = `0x${'ab'.repeat(32)}`
    const given = { [word]: upper(slot), [slot]: word, [upper(slot)]: slot }
    const [decoded] = StateOverrides.schema.parse({ [address]: { state: given } })
    const entries = new Map(
      toEntries(decoded?.state as Uint8Array).map((pair) => pair.map(toHex) as [string, string]),
    )
    expect([...entries]).toEqual([
      [word, slot],
      [slot, slot],
    ])
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
