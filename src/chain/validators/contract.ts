import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex, toHex } from '../../base/encoding/hex.ts'
import { code, slots } from './gen/validatorSet.ts'
import type { Validator, ValidatorChange, ValidatorConfig } from './validatorConfig.ts'

/**
 * The contract that holds the validators (contracts/ValidatorSet.sol): its address, its initial storage and
 * its decoder. Every node reads the storage itself, so that the set is part of the state that blocks commit
 * to.
 */

/**
 * `PERIHELION` in ASCII, then the number of the contract: no precompile, and no address that a key could
 * have.
 */
export const validatorContractAddress = fromHex('0x5045524948454c494f4e00000000000000000001')

export const validatorContractCode = fromHex(code)

/** Returns the value of a slot: 32 bytes, zeros if it is unset. */
export type ReadSlot = (slot: Uint8Array) => Uint8Array

const word = (value: bigint): Uint8Array => fromBigInt(value, 32)

/**
 * Solidity's layout: the length of a list is in its slot, its items start at the hash of the slot; the slot
 * of a map's entry is the hash of key and slot.
 */
const firstKey = toBigInt(keccak256(word(slots.keys)))
const keySlot = (index: number): Uint8Array => word(firstKey + BigInt(index))
const entrySlot = (publicKey: Uint8Array): Uint8Array =>
  keccak256(concatBytes(publicKey, word(slots.entries)))

/** Encodes an entry; from the right: reward (20 bytes), power (8), position in the list from one on (4). */
const encodeEntry = ({ reward, power }: Validator, position: number): Uint8Array =>
  concatBytes(fromBigInt(BigInt(position), 4), fromBigInt(power, 8), reward)

/** Returns the initial storage of the contract; no value is zero. */
export const validatorContractStorage = ({
  validators,
  admin,
}: ValidatorConfig): readonly (readonly [slot: Uint8Array, value: Uint8Array])[] => [
  ...(admin === undefined ? [] : [[word(slots.admin), word(toBigInt(admin))] as const]),
  [word(slots.totalPower), word(validators.reduce((sum, { power }) => sum + power, 0n))],
  [word(slots.keys), word(BigInt(validators.length))],
  ...validators.flatMap((validator, index) => [
    [keySlot(index), validator.publicKey] as const,
    [entrySlot(validator.publicKey), encodeEntry(validator, index + 1)] as const,
  ]),
]

/** Returns the validators in the order of the contract's list; empty if the contract does not exist. */
export const readValidatorSet = (read: ReadSlot): readonly Validator[] => {
  const count = Number(toBigInt(read(word(slots.keys))))
  return Array.from({ length: count }, (_, index) => {
    const publicKey = read(keySlot(index))
    const entry = read(entrySlot(publicKey))
    return { publicKey, power: toBigInt(entry.subarray(4, 12)), reward: entry.slice(12) }
  })
}

/**
 * Returns the changes from one set to the other for the engine, in the order of the keys; power 0 removes a
 * validator.
 */
export const diffValidatorSets = (
  before: readonly Validator[],
  after: readonly Validator[],
): readonly ValidatorChange[] => {
  const powers = new Map(before.map(({ publicKey, power }) => [toHex(publicKey), power]))
  const changed = after.filter(({ publicKey, power }) => powers.get(toHex(publicKey)) !== power)
  const kept = new Set(after.map(({ publicKey }) => toHex(publicKey)))
  const gone = before.filter(({ publicKey }) => !kept.has(toHex(publicKey)))
  return [
    ...changed.map(({ publicKey, power }) => ({ publicKey, power })),
    ...gone.map(({ publicKey }) => ({ publicKey, power: 0n })),
  ].sort((one, other) => Buffer.compare(one.publicKey, other.publicKey))
}
