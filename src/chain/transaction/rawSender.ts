import { curveOrder, keccak256, recoverAddress } from '../../base/crypto/crypto.ts'
import { fromBigInt, toBigInt } from '../../base/encoding/bytes.ts'
import { stringLength, writeHeader, writeString } from '../../base/encoding/rlp.ts'
import { type Fork, since } from '../config/forks.ts'
import { encodeInteger } from './encode.ts'

/**
 * The sender of a transaction, of its canonical bytes alone: what was signed are the fields before the signature, as they stand
 * there. It takes a third of the time that decoding the fields and encoding them again does, beside the recovery itself.
 */

const order = fromBigInt(curveOrder - 1n, 32)
const halfOrder = fromBigInt(curveOrder / 2n, 32)

/** The place of a string or list: its content, and its end. */
const place = { start: 0, end: 0 }

const locate = (raw: Uint8Array, at: number): void => {
  const first = raw[at] as number
  if (first < 0x80) {
    place.start = at
    place.end = at + 1
    return
  }
  const short = first - (first < 0xc0 ? 0x80 : 0xc0)
  let size = short
  place.start = at + 1
  if (short > 55) {
    size = 0
    for (let i = 55; i < short; i++) size = size * 256 + (raw[place.start++] as number)
  }
  place.end = place.start + size
}

/** Copies an integer to the right end of 32 bytes, and returns whether it is neither zero nor above the highest. */
const copyInRange = (raw: Uint8Array, target: Uint8Array, at: number, highest: Uint8Array): boolean => {
  const { start, end } = place
  if (end === start) return false
  const zeros = at + 32 - (end - start)
  for (let i = at; i < zeros; i++) target[i] = 0
  for (let i = start; i < end; i++) target[zeros + i - start] = raw[i] as number
  for (let i = 0; i < 32; i++) {
    const difference = (target[at + i] as number) - (highest[i] as number)
    if (difference !== 0) return difference < 0
  }
  return true
}

const noTransaction = (): Error => new RangeError('these bytes are not a transaction')

let signed = new Uint8Array(1024)
const compact = new Uint8Array(64)
const noBytes = new Uint8Array(0)

/** Recovers the sender of a transaction that `decodeTransaction` takes; undefined if the signature is invalid. Other bytes may throw. */
export const recoverRawSender = (raw: Uint8Array, fork: Fork): Uint8Array | undefined => {
  const isLegacy = (raw[0] as number) >= 0xc0
  const listAt = isLegacy ? 0 : 1
  locate(raw, listAt)
  const { start } = place
  const last = place.end
  if (!((raw[listAt] as number) >= 0xc0) || last !== raw.length) throw noTransaction()
  // The last three items are the signature: parity (or v), r and s.
  let [parityAt, rAt, sAt] = [start, start, start]
  for (let at = start; at < last; at = place.end) {
    parityAt = rAt
    rAt = sAt
    sAt = at
    locate(raw, at)
  }
  if (place.end !== last || parityAt === start) throw noTransaction()
  const isSInRange = copyInRange(raw, compact, 32, since(fork, 'homestead') ? halfOrder : order)
  locate(raw, rAt)
  if (!copyInRange(raw, compact, 0, order) || !isSInRange) return undefined
  locate(raw, parityAt)
  const v = raw.subarray(place.start, place.end)
  const low = v[v.length - 1] ?? 0
  const chainId =
    isLegacy && (v.length > 1 || low >= 35) ? encodeInteger((toBigInt(v) - 35n) / 2n) : undefined
  const fields = parityAt - start
  const room = fields + 64
  if (signed.length < room) signed = new Uint8Array(2 * room)
  // EIP-155 appends the chain id and two zeros.
  const extra = chainId === undefined ? 0 : 2 + stringLength(chainId)
  if (!isLegacy) signed[0] = raw[0] as number
  let at = writeHeader(signed, isLegacy ? 0 : 1, 0xc0, fields + extra)
  signed.set(raw.subarray(start, parityAt), at)
  at += fields
  if (chainId !== undefined) {
    at = writeString(signed, at, chainId)
    at = writeString(signed, at, noBytes)
    at = writeString(signed, at, noBytes)
  }
  // The v of a legacy transaction is odd where its parity is not: 27, or 35 and twice the chain id.
  const recovery = isLegacy ? (low & 1) ^ 1 : low
  return recoverAddress(keccak256(signed.subarray(0, at)), { compact, recovery })
}
