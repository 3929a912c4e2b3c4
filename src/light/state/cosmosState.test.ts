import { bech32 } from '@scure/base'
import { describe, expect, it } from 'vitest'
import { any, blob, join, nested, text, uint } from '../../../test/gateway/replay/wire.ts'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { cosmosStateRules } from './cosmosState.ts'
import { MissingStore, type Verdict } from './judgement.ts'

const address = new Uint8Array(20).fill(0xab)
const key = (prefix: number, ...parts: readonly Uint8Array[]): string =>
  toHex(join(Uint8Array.of(prefix), ...parts))
const balanceKey = (denom: string): string => `bank ${key(2, Uint8Array.of(20), address, Buffer.from(denom))}`
const accountKey = `acc ${key(1, address)}`
const codeKey = `evm ${key(4, address)}`

const base = join(
  text(1, bech32.encode('cosmos', bech32.toWords(address))),
  uint(3, 0xffd9_d9a9_9a99_1234n),
  uint(4, 6),
)
const accounts = {
  plain: any('/cosmos.auth.v1beta1.BaseAccount', base),
  module: (name: string) =>
    any('/cosmos.auth.v1beta1.ModuleAccount', join(nested(1, base), text(2, name), text(3, 'minter'))),
  vesting: any(
    '/cosmos.vesting.v1beta1.ContinuousVestingAccount',
    nested(1, join(nested(1, base), uint(5, 1))),
  ),
  ethermint: (code: Uint8Array) =>
    any('/ethermint.types.v1.EthAccount', join(nested(1, base), text(2, toHex(keccak256(code))))),
  unknown: any('/some.chain.v1.OtherAccount', base),
}

type Stores = Readonly<Record<string, Uint8Array>>

const judge = async (
  query: string,
  response: Uint8Array,
  stores: Stores,
  chain = { feeDenom: 'atest', decimals: 18 },
): Promise<Verdict | undefined> => {
  const rules = cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', ...chain })
  const proof = rules(
    { path: `/cosmos.evm.vm.v1.Query/${query}`, request: text(1, toHex(address)), height: 9 },
    async (store, asked) => stores[`${store} ${toHex(asked)}`] ?? emptyBytes,
  )
  return (await proof?.begin())?.(response)
}

const balance = (value: bigint | string): Uint8Array => text(1, String(value))
const amount = (value: bigint | number): Uint8Array => Buffer.from(String(value))
const telling = { is: 'same', isTelling: true }
const same = { is: 'same', isTelling: false }

describe('what proven values say of answers', () => {
  it('a balance is the whole one, or what can be spent of it', async () => {
    const has = { [balanceKey('atest')]: amount(50) }
    expect(await judge('Balance', balance(50n), has)).toEqual(telling)
    expect(await judge('Balance', balance(0n), {})).toEqual(same)
    expect(await judge('Balance', emptyBytes, {})).toEqual(same)
    for (const wrong of [51n, 49n, 0n, -1n, 'x'])
      expect(await judge('Balance', balance(wrong), { ...has, [accountKey]: accounts.plain })).toMatchObject({
        is: 'different',
      })
    expect(await judge('Balance', balance(49n), has)).toMatchObject({ is: 'different' })
    for (const kind of ['vesting', 'unknown'] as const) {
      const vests = { ...has, [accountKey]: accounts[kind] }
      expect(await judge('Balance', balance(49n), vests)).toEqual({ is: 'unjudged' })
      expect(await judge('Balance', balance(51n), vests)).toMatchObject({ is: 'different' })
    }
  })

  it.each([
    ['a sign', '-'],
    ['two signs', '--1'],
    ['a sign at the end', '1-'],
    ['more digits than a word has', '1'.repeat(100_000)],
  ])('%s is not a balance', async (_, told) => {
    const wrong = { is: 'different', problem: 'its balance is not a number' }
    for (const amounts of [
      { [balanceKey('atest')]: amount(50) },
      { [balanceKey('atest')]: Buffer.from('?') },
    ])
      expect(await judge('Balance', balance(told), amounts)).toEqual(wrong)
    const stores = { [accountKey]: accounts.plain, [balanceKey('atest')]: amount(50) }
    const account = join(text(1, told), text(2, toHex(keccak256(emptyBytes))), uint(3, 6))
    expect(await judge('Account', account, stores)).toEqual(wrong)
  })

  it('an amount may be a coin, as older versions wrote it', async () => {
    const has = { [balanceKey('atest')]: join(text(1, 'atest'), text(2, '77')) }
    expect(await judge('Balance', balance(77n), has)).toEqual(telling)
    expect(await judge('Balance', balance(78n), has)).toMatchObject({ is: 'different' })
  })

  it('of a coin with fewer decimals two stores make the balance', async () => {
    const chain = { feeDenom: 'atest', decimals: 6 }
    const stores = {
      [`evm ${key(3)}`]: text(1, 'utest'),
      [balanceKey('utest')]: amount(3),
      [`precisebank ${key(1, address)}`]: amount(21),
    }
    expect(await judge('Balance', balance(3_000_000_000_021n), stores, chain)).toEqual(telling)
    for (const wrong of [3n, 21n, 3_000_000_000_000n])
      expect(await judge('Balance', balance(wrong), stores, chain)).toMatchObject({ is: 'different' })
    const reserve = { ...stores, [accountKey]: accounts.module('precisebank') }
    expect(await judge('Balance', balance(0n), reserve, chain)).toEqual({ is: 'unjudged' })
    expect(await judge('Balance', balance(5n), reserve, chain)).toMatchObject({ is: 'different' })
    // Other modules have what they have.
    const other = { ...stores, [accountKey]: accounts.module('distribution') }
    expect(await judge('Balance', balance(0n), other, chain)).toMatchObject({ is: 'different' })
    expect(await judge('Balance', balance(3_000_000_000_021n), other, chain)).toEqual(telling)
  })

  it('the coin is the one that the parameters of the module name, whatever was said of it at the start', async () => {
    const stores = {
      [`evm ${key(3)}`]: text(1, 'areal'),
      [balanceKey('areal')]: amount(50),
      [balanceKey('atest')]: amount(7),
    }
    expect(await judge('Balance', balance(50n), stores)).toEqual(telling)
    expect(await judge('Balance', balance(7n), stores)).toMatchObject({ is: 'different' })
    const account = (coins: number): Uint8Array =>
      join(text(1, String(coins)), text(2, toHex(keccak256(emptyBytes))), uint(3, 6))
    const known = { ...stores, [accountKey]: accounts.plain }
    expect(await judge('Account', account(50), known)).toEqual(telling)
    expect(await judge('Account', account(7), known)).toMatchObject({ is: 'different' })
  })

  it('the coin is read once for a height, and a store that a node denies proves nothing about it', async () => {
    const rules = cosmosStateRules({ evmPackage: 'cosmos.evm.vm.v1', feeDenom: 'atest', decimals: 18 })
    let reads = 0
    let isDenied = true
    const ask = async (height: number, told: bigint): Promise<Verdict | undefined> => {
      const request = text(1, toHex(address))
      const proof = rules(
        { path: '/cosmos.evm.vm.v1.Query/Balance', request, height },
        async (store, asked) => {
          if (store === 'bank')
            return `bank ${toHex(asked)}` === balanceKey('atest') ? amount(50) : emptyBytes
          if (store !== 'evm') return emptyBytes
          if (isDenied) throw new MissingStore('no such store')
          reads++
          return text(1, 'atest')
        },
      )
      return (await proof?.begin())?.(balance(told))
    }
    expect(await ask(9, 50n)).toEqual({ is: 'unjudged' })
    expect(await ask(9, 51n)).toMatchObject({ is: 'different' })
    isDenied = false
    for (const height of [9, 9, 10, 9]) expect(await ask(height, 50n)).toEqual(telling)
    expect(reads).toBe(2)
  })

  it('an account has the sequence, the balance and the code hash of three stores', async () => {
    const code = Uint8Array.of(0x60, 1)
    const stores = {
      [accountKey]: accounts.plain,
      [balanceKey('atest')]: amount(50),
      [codeKey]: keccak256(code),
    }
    const told = (coins: number, nonce: number, hash: Uint8Array) =>
      join(text(1, String(coins)), text(2, toHex(hash)), uint(3, nonce))
    expect(await judge('Account', told(50, 6, keccak256(code)), stores)).toEqual(telling)
    expect(await judge('Account', told(51, 6, keccak256(code)), stores)).toMatchObject({ is: 'different' })
    expect(await judge('Account', told(50, 7, keccak256(code)), stores)).toMatchObject({ is: 'different' })
    expect(await judge('Account', told(50, 6, keccak256(emptyBytes)), stores)).toMatchObject({
      is: 'different',
    })
    const { [accountKey]: _, ...nobody } = stores
    // The module answers nothing for an address without an account, whatever other stores have.
    expect(await judge('Account', told(0, 0, keccak256(emptyBytes)), nobody)).toEqual(same)
    expect(await judge('Account', told(50, 0, keccak256(emptyBytes)), nobody)).toMatchObject({
      is: 'different',
    })
    const vesting = { ...stores, [accountKey]: accounts.vesting }
    expect(await judge('Account', told(20, 6, keccak256(code)), vesting)).toEqual({ is: 'unjudged' })
    expect(await judge('Account', told(20, 5, keccak256(code)), vesting)).toMatchObject({ is: 'different' })
  })

  it('code has the hash that the store or the account names', async () => {
    const code = Uint8Array.of(0x60, 1)
    const inStore = { [accountKey]: accounts.plain, [codeKey]: keccak256(code) }
    const inAccount = { [accountKey]: accounts.ethermint(code) }
    for (const stores of [inStore, inAccount]) {
      expect(await judge('Code', blob(1, code), stores)).toEqual(telling)
      expect(await judge('Code', emptyBytes, stores)).toMatchObject({ is: 'different' })
      expect(await judge('Code', blob(1, Uint8Array.of(1)), stores)).toMatchObject({ is: 'different' })
    }
    expect(await judge('Code', emptyBytes, { [accountKey]: accounts.plain })).toEqual(same)
    expect(await judge('Code', emptyBytes, {})).toEqual(same)
    expect(await judge('Code', blob(1, code), {})).toMatchObject({ is: 'different' })
  })

  it('other queries are not about values of a state', async () => {
    expect(await judge('EthCall', emptyBytes, {})).toBeUndefined()
    expect(await judge('toString', emptyBytes, {})).toBeUndefined()
  })
})
