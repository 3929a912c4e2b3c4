import { describe, expect, it } from 'vitest'
import { keccak256 } from '../../base/crypto/crypto.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { createDevGenesis } from '../genesis/devGenesis.ts'
import { parseGenesis } from '../genesis/genesis.ts'
import {
  diffValidatorSets,
  readValidatorSet,
  validatorContractAddress,
  validatorContractCode,
  validatorContractStorage,
} from './contract.ts'
import {
  parseValidatorConfig,
  toValidatorConfigJson,
  type Validator,
  type ValidatorConfig,
} from './validatorConfig.ts'

const validator = (fill: number, power = 10n): Validator => ({
  publicKey: new Uint8Array(32).fill(fill),
  power,
  reward: new Uint8Array(20).fill(fill + 0x80),
})

const admin = new Uint8Array(20).fill(0xad)
const set: ValidatorConfig = { validators: [validator(3), validator(1, 2n ** 59n), validator(2, 1n)], admin }
const address = toHex(validatorContractAddress)

const readerOf = (config: ValidatorConfig) => {
  const slots = new Map(validatorContractStorage(config).map(([slot, value]) => [toHex(slot), value]))
  return (slot: Uint8Array): Uint8Array => slots.get(toHex(slot)) ?? new Uint8Array(32)
}

describe('the storage of the contract', () => {
  it('gives back the set that it was made from', () => {
    expect(readValidatorSet(readerOf(set))).toEqual(set.validators)
  })

  it('has every value where the documented layout says', () => {
    const values = new Map(validatorContractStorage(set).map(([slot, value]) => [toHex(slot), toHex(value)]))
    const at = (slot: bigint): string => `0x${slot.toString(16).padStart(64, '0')}`
    expect(values.get(at(0n))).toBe(`0x${'00'.repeat(12)}${'ad'.repeat(20)}`)
    expect(values.has(at(1n))).toBe(false)
    expect(values.get(at(2n))).toBe(at(2n ** 59n + 11n))
    expect(values.get(at(3n))).toBe(at(3n))
    const first = BigInt(toHex(keccak256(fromHex(at(3n)))))
    expect(values.get(at(first))).toBe(`0x${'03'.repeat(32)}`)
    const entry = toHex(keccak256(fromHex(`0x${'03'.repeat(32)}${at(4n).slice(2)}`)))
    expect(values.get(entry)).toBe(`0x00000001000000000000000a${'83'.repeat(20)}`)
    expect(values.size).toBe(3 + 2 * 3)
  })

  it('is empty where the contract is not', () => {
    expect(readValidatorSet(() => new Uint8Array(32))).toEqual([])
  })
})

describe('compareSets', () => {
  it('names what is new, what has another power and what is gone, in the order of the keys', () => {
    const after = [validator(4, 7n), validator(2, 5n), validator(3)]
    expect(diffValidatorSets(set.validators, after)).toEqual([
      { publicKey: validator(1).publicKey, power: 0n },
      { publicKey: validator(2).publicKey, power: 5n },
      { publicKey: validator(4).publicKey, power: 7n },
    ])
  })

  it('finds nothing where only the order or a reward differs', () => {
    const [first, second, third] = set.validators as [Validator, Validator, Validator]
    expect(diffValidatorSets(set.validators, [third, { ...first, reward: admin }, second])).toEqual([])
  })
})

describe('a genesis with validators', () => {
  const perihelion = toValidatorConfigJson(set)
  const text = (alloc: object, config: object = { perihelion }): string =>
    JSON.stringify({ config: { chainId: 1, ...config }, alloc })
  const contractOf = (genesis: string) =>
    parseGenesis(genesis).changes.accounts.find((account) => toHex(account.address) === address)
  const storage = Object.fromEntries(
    validatorContractStorage(set).map(([slot, value]) => [toHex(slot), toHex(value)]),
  )
  const code = toHex(validatorContractCode)

  it('has the contract with the set', () => {
    const contract = contractOf(text({}))
    expect(contract?.account?.codeHash).toEqual(keccak256(validatorContractCode))
    expect(contract?.account?.nonce).toBe(1n)
    expect(contract?.storage).toEqual(validatorContractStorage(set))
  })

  it('is the same with the contract written out, and keeps coins that are there', () => {
    expect(contractOf(text({ [address]: { nonce: '0x1', balance: '0x0', code, storage } }))).toEqual(
      contractOf(text({})),
    )
    expect(contractOf(text({ [address]: { balance: '0x5' } }))?.account?.balance).toBe(5n)
  })

  it('has none where the configuration names no validators', () => {
    expect(contractOf(text({}, {}))).toBeUndefined()
    expect(contractOf(text({}, { perihelion: { timesMayRepeat: true } }))).toBeUndefined()
  })

  it('is rejected with other code at the address, or with a storage that says something else', () => {
    const [slot = '', value = ''] = Object.entries(storage)[2] ?? []
    expect(() => contractOf(text({ [address]: { code: '0x00' } }))).toThrow(`alloc.${address}.code is not`)
    expect(() => contractOf(text({ [address]: { code, storage: { ...storage, [slot]: '0x07' } } }))).toThrow(
      `wanted ${value} by config: to begin a new chain with this config, remove`,
    )
    expect(() => contractOf(text({ [address]: { code } }))).toThrow('is missing')
    const more = { ...storage, [`0x${'ff'.repeat(32)}`]: '0x01' }
    expect(() => contractOf(text({ [address]: { code, storage: more } }))).toThrow('does not ask for')
  })

  it('comes from the development genesis too', () => {
    const genesis = createDevGenesis({
      chainId: 1n,
      accounts: [],
      coinbase: admin,
      timestamp: 0n,
      validators: perihelion,
    })
    expect(genesis.changes.accounts.some((account) => toHex(account.address) === address)).toBe(true)
  })
})

describe('readValidatorConfig', () => {
  const config = (validators: readonly Validator[]) => ({
    perihelion: toValidatorConfigJson({ validators, admin }),
  })

  it('reads what was written, powers of any size', () => {
    expect(parseValidatorConfig(config(set.validators))).toEqual(set)
  })

  it('rejects more power in all than the engine can count', () => {
    expect(parseValidatorConfig(config([validator(1, 2n ** 60n - 1n)]))).toBeDefined()
    expect(() => parseValidatorConfig(config([validator(1, 2n ** 60n - 1n), validator(2, 1n)]))).toThrow(
      'of power in all',
    )
  })

  it('reads a key in base64 or in hex by its length, also one in base64 that begins like hex', () => {
    const key = Buffer.from(`0x${'A'.repeat(41)}=`, 'base64')
    const [one] = parseValidatorConfig(config([{ ...validator(1), publicKey: key }]))?.validators ?? []
    expect(toHex(one?.publicKey ?? key.subarray(1))).toBe(toHex(key))
    const withKey = (pubkey: string) =>
      parseValidatorConfig({ perihelion: { validators: [{ pubkey, power: 1, reward: toHex(admin) }] } })
    expect(withKey(toHex(key))?.validators[0]?.publicKey).toEqual(new Uint8Array(key))
    for (const pubkey of ['', '0x', toHex(key).slice(0, 44), toHex(key).slice(2), `0x${'A'.repeat(42)}`])
      expect(() => withKey(pubkey)).toThrow('is not an ed25519 key of 32 bytes')
  })

  it('rejects a key twice, no power and none at all', () => {
    expect(() => parseValidatorConfig(config([validator(1), validator(1)]))).toThrow('names a key twice')
    expect(() => parseValidatorConfig(config([validator(1, 0n)]))).toThrow('power is missing or zero')
    expect(() => parseValidatorConfig(config([]))).toThrow('is not a list')
  })
})
