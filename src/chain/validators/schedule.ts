import { keccak256 } from '../../base/crypto/crypto.ts'
import { concatBytes, equalBytes, fromBigInt, maxUint64, toBigInt } from '../../base/encoding/bytes.ts'
import { fromHex } from '../../base/encoding/hex.ts'
import { encodeUtf8 } from '../../base/encoding/utf8.ts'
import type { ChainConfig, ScheduledFork } from '../config/chainConfig.ts'
import { GenesisError, type JsonObject } from '../config/gethJson.ts'
import type { LiveChainConfig } from '../config/liveConfig.ts'
import { hashRules } from '../config/rulesHash.ts'
import { type EvmStateReader, emptyCodeHash } from '../state/evmState.ts'
import type { ReadSlot } from './contract.ts'
import { code, slots } from './gen/forkSchedule.ts'

/**
 * The contract that holds the times of the forks (contracts/ForkSchedule.sol) of a chain with validators. Every node
 * reads the storage itself, so that the schedule is part of the state that blocks commit to.
 */

/** `PERIHELION` in ASCII, then the number of the contract. */
export const scheduleContractAddress = fromHex('0x5045524948454c494f4e00000000000000000002')

export const scheduleContractCode = fromHex(code)

const nameBytes = 32

/**
 * The slot that commits to the rules which neither the first block nor the schedule has. It is the hash of a text, so that
 * none of the contract's own variables is there; the contract does not use it.
 */
export const rulesSlot = keccak256(encodeUtf8('perihelion.rules'))

const word = (value: bigint): Uint8Array => fromBigInt(value, 32)
const firstName = toBigInt(keccak256(word(slots.names)))
const nameSlot = (index: number): Uint8Array => word(firstName + BigInt(index))
const forkSlot = (name: Uint8Array): Uint8Array => keccak256(concatBytes(name, word(slots.forks)))
const versionSlot = (name: Uint8Array): Uint8Array => keccak256(concatBytes(name, word(slots.versions)))

const pack = (text: string): Uint8Array => {
  const bytes = new Uint8Array(nameBytes)
  bytes.set(encodeUtf8(text))
  return bytes
}

/** The contract admits printable letters only, so that the text is safe to show. */
const unpack = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0)
  return String.fromCharCode(...(end < 0 ? bytes : bytes.subarray(0, end)))
}

/** Encodes an entry; from the right: time (8 bytes), position in the list from one on (4). */
const encodeFork = (time: bigint, position: number): Uint8Array => word((BigInt(position) << 64n) | time)

/**
 * Returns the initial storage: all forks of the configuration that begin at a time and, except for a chain that was begun
 * before there was one, the hash of its other rules. No value is zero.
 */
export const scheduleContractStorage = (
  config: ChainConfig,
  commitsToRules: boolean,
): readonly (readonly [slot: Uint8Array, value: Uint8Array])[] => {
  const rules = commitsToRules ? [[rulesSlot, hashRules(config)] as const] : []
  const timed = config.activations.filter(({ by }) => by === 'time')
  const late = timed.find(({ at }) => at > maxUint64)
  if (late !== undefined) throw new GenesisError(`config.${late.name}Time is too large`)
  return timed.length === 0
    ? rules
    : [
        [word(slots.names), word(BigInt(timed.length))] as const,
        ...timed.flatMap(({ name, at }, index) => [
          [nameSlot(index), pack(name)] as const,
          [forkSlot(pack(name)), encodeFork(at, index + 1)] as const,
        ]),
        ...rules,
      ]
}

/** The contract takes no more (contracts/ForkSchedule.sol). */
const maxForks = 64

/** Returns the forks in the order of the contract's list, which is that of their times. */
const readForks = (read: ReadSlot): readonly ScheduledFork[] => {
  // Where a genesis file has other code there, the number may be anything.
  const count = Math.min(Number(toBigInt(read(word(slots.names)))), maxForks)
  return Array.from({ length: count }, (_, index) => {
    const name = read(nameSlot(index))
    return {
      name: unpack(name),
      time: toBigInt(read(forkSlot(name)).subarray(24)),
      version: unpack(read(versionSlot(name))),
    }
  })
}

/**
 * Returns the schedule in a state; undefined if the chain has none, and its configuration is the schedule. Only a chain
 * with validators has one: in another's genesis anybody may have put code at the contract's address.
 */
export const readForkSchedule = (
  { source }: Pick<ChainConfig, 'source'>,
  state: Pick<EvmStateReader, 'account' | 'storage'>,
): readonly ScheduledFork[] | undefined => {
  if ((source.perihelion as JsonObject | undefined)?.validators === undefined) return undefined
  const codeHash = state.account(scheduleContractAddress)?.codeHash
  if (codeHash === undefined || equalBytes(codeHash, emptyCodeHash)) return undefined
  return readForks((slot) => state.storage(scheduleContractAddress, slot))
}

/** Has the configuration follow the schedule in the head's state. Returns whether anything changed. */
export const followSchedule = (
  config: LiveChainConfig,
  state: Pick<EvmStateReader, 'account' | 'storage'>,
): boolean => config.follow(readForkSchedule(config, state))
