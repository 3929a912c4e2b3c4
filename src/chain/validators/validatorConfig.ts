import { fromBase64 } from '../../base/encoding/base64.ts'
import { toHex } from '../../base/encoding/hex.ts'
import {
  GenesisError,
  type JsonObject,
  parseBytes,
  parseFixedBytes,
  parseInteger,
  parseObject,
} from '../config/gethJson.ts'

/** A validator, which takes part in deciding blocks. */
export interface Validator {
  /** Ed25519: 32 bytes. */
  readonly publicKey: Uint8Array
  readonly power: bigint
  /** The address that receives the tips of the blocks that it proposes. */
  readonly reward: Uint8Array
}

/** A change of the engine's validators; power 0 removes one. */
export interface ValidatorChange {
  readonly publicKey: Uint8Array
  readonly power: bigint
}

/** `config.perihelion` of a genesis file: the initial validators of a chain with a replicated engine. */
export interface ValidatorConfig {
  readonly validators: readonly Validator[]
  /** The account that may change the set; undefined if no account may. */
  readonly admin: Uint8Array | undefined
}

/**
 * The engine adds up powers in signed 64-bit integers and multiplies the sum by eight. The contract has the
 * same bounds.
 */
const maxTotalPower = 2n ** 60n - 1n
const maxValidators = 1000

/** Parses the configuration; undefined if the genesis names no validators. */
export const parseValidatorConfig = (config: JsonObject): ValidatorConfig | undefined => {
  if (config.perihelion === undefined) return undefined
  const { validators, admin } = parseObject(config.perihelion, 'config.perihelion')
  if (validators === undefined) return undefined
  if (!Array.isArray(validators) || validators.length === 0 || validators.length > maxValidators)
    throw new GenesisError(`config.perihelion.validators is not a list of 1 to ${maxValidators}`)
  const read = validators.map((one: unknown, index) =>
    parseValidator(one, `config.perihelion.validators[${index}]`),
  )
  const keys = new Set(read.map(({ publicKey }) => toHex(publicKey)))
  if (keys.size < read.length) throw new GenesisError('config.perihelion.validators names a key twice')
  if (read.reduce((sum, { power }) => sum + power, 0n) > maxTotalPower)
    throw new GenesisError(`config.perihelion.validators have more than ${maxTotalPower} of power in all`)
  return { validators: read, admin: parseFixedBytes(admin, 20, 'config.perihelion.admin') }
}

const parseValidator = (value: unknown, where: string): Validator => {
  const { pubkey, power, reward } = parseObject(value, where)
  const units = parseInteger(power, `${where}.power`)
  const address = parseFixedBytes(reward, 20, `${where}.reward`)
  if (units === undefined || units === 0n) throw new GenesisError(`${where}.power is missing or zero`)
  if (address === undefined) throw new GenesisError(`${where}.reward is missing`)
  return { publicKey: readKey(pubkey, `${where}.pubkey`), power: units, reward: address }
}

const keyBytes = 32
const hexKeyLength = 2 + 2 * keyBytes

/**
 * Parses a key in base64, as the engine writes keys, or in hex with its prefix. The length tells which: base64 may begin
 * with the letters of the prefix.
 */
const readKey = (value: unknown, where: string): Uint8Array => {
  if (typeof value !== 'string') throw new GenesisError(`${where} is missing`)
  const key = value.length === hexKeyLength ? parseBytes(value, where) : fromBase64(value)
  if (key?.length !== keyBytes)
    throw new GenesisError(`${where} is not an ed25519 key of ${keyBytes} bytes, in base64 or as 0x and hex`)
  return key
}

/** Returns the member as `parseValidatorConfig` reads it. */
export const toValidatorConfigJson = ({ validators, admin }: ValidatorConfig): JsonObject => ({
  validators: validators.map(({ publicKey, power, reward }) => ({
    pubkey: Buffer.from(publicKey).toString('base64'),
    power: power <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(power) : `${power}`,
    reward: toHex(reward),
  })),
  ...(admin === undefined ? {} : { admin: toHex(admin) }),
})
