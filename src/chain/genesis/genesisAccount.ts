import { keccak256 } from '../../base/crypto/crypto.ts'
import { emptyBytes, maxUint64, maxUint256 } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { GenesisError, parseBytes, parseFixedBytes, parseInteger, parseObject } from '../config/gethJson.ts'
import { type AccountChange, emptyCodeHash, type StateChanges } from '../state/evmState.ts'

export const bounded = (value: bigint | undefined, max: bigint, where: string): bigint | undefined => {
  if (value !== undefined && value > max) throw new GenesisError(`${where} is too large`)
  return value
}

const parseStorage = (value: unknown, where: string): (readonly [Uint8Array, Uint8Array])[] =>
  Object.entries(parseObject(value ?? {}, where)).flatMap(([slot, word]) => {
    const key = parseFixedBytes(slot, 32, `a slot of ${where}`, true) as Uint8Array // a string, so never undefined
    const bytes = parseFixedBytes(word, 32, `${where}.${slot}`, true)
    // An unset slot and a slot of zero are the same.
    return bytes?.some((byte) => byte !== 0) ? [[key, bytes] as const] : []
  })

export interface GenesisAccount {
  readonly address: Uint8Array
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

export const parseAccount = (key: string, value: unknown): GenesisAccount => {
  const where = `alloc.${key}`
  const fields = parseObject(value, where)
  return {
    address: parseFixedBytes(key, 20, `address ${key}`) as Uint8Array, // a string, so never undefined
    balance: bounded(parseInteger(fields.balance, `${where}.balance`), maxUint256, `${where}.balance`) ?? 0n,
    nonce: bounded(parseInteger(fields.nonce, `${where}.nonce`), maxUint64, `${where}.nonce`) ?? 0n,
    code: parseBytes(fields.code, `${where}.code`) ?? emptyBytes,
    storage: parseStorage(fields.storage, `${where}.storage`),
  }
}

/** Returns the state changes that create the accounts. */
export const toStateChanges = (accounts: readonly GenesisAccount[]): StateChanges => {
  const code: (readonly [Uint8Array, Uint8Array])[] = []
  const seen = new Set<string>()
  const changes = accounts.map((account): AccountChange => {
    const name = toHex(account.address)
    if (seen.has(name)) throw new GenesisError(`alloc has ${name} twice`)
    seen.add(name)
    const codeHash = account.code.length === 0 ? emptyCodeHash : keccak256(account.code)
    if (account.code.length > 0) code.push([codeHash, account.code])
    const { address, nonce, balance, storage } = account
    return { address, account: { nonce, balance, codeHash }, storageCleared: false, storage }
  })
  return { accounts: changes, code }
}
