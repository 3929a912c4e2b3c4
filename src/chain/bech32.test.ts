import { describe, expect, it } from 'vitest'
import { fromHex, toHex } from '../base/encoding/hex.ts'
import { fromBech32, resolvePrefix, toBech32 } from './bech32.ts'

/** A consensus address and the account of its operator, from a running chain. */
const pairs = [
  ['cosmosvalcons19cw2jv596ky59w3wyt7cj0x2clyjfsapgmwnjd', 'cosmosvalcons'],
  ['cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvv', 'cosmos'],
] as const

describe('bech32 addresses', () => {
  it.each(pairs)('%s is read and written', (text, prefix) => {
    const address = fromBech32(text)
    expect(address.prefix).toBe(prefix)
    expect(address.bytes).toHaveLength(20)
    expect(toBech32(address)).toBe(text)
  })

  it('are those of the accounts in hex', () => {
    expect(toHex(fromBech32(pairs[1][0]).bytes)).toMatch(/^0x7cb61d41/)
    const bytes = fromHex('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
    expect(toBech32({ prefix: 'cosmos', bytes })).toBe('cosmos17w0adeg64ky0daxwd2ugyuneellmjgnxramjtq')
  })

  it('may be 32 bytes long', () => {
    const bytes = new Uint8Array(32).fill(7)
    expect(fromBech32(toBech32({ prefix: 'neutron', bytes })).bytes).toEqual(bytes)
  })

  it.each([
    ['a wrong checksum', 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvw'],
    ['mixed case', 'cosmos10jmp6sgh4cc6zt3e8gw05wavvejgr5pwsjskvV'],
    ['no separator', 'cosmos'],
    ['another length', toBech32({ prefix: 'cosmos', bytes: new Uint8Array(21) })],
  ])('with %s are rejected', (_, text) => {
    expect(() => fromBech32(text)).toThrow()
  })

  it('have the prefix of their role', () => {
    expect(resolvePrefix(undefined, 'cosmos')).toBe('cosmos')
    expect(resolvePrefix('valoper', 'cosmos')).toBe('cosmosvaloper')
    expect(resolvePrefix('osmo', 'cosmos')).toBe('osmo')
    expect(resolvePrefix('Osmo', 'cosmos')).toBeUndefined()
    expect(resolvePrefix('', 'cosmos')).toBeUndefined()
  })
})
