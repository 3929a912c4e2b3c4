import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from '../rpc/types.ts'

export const isAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text)
export const isHash = (text: string): text is Hex => /^0x[0-9a-fA-F]{64}$/.test(text)
export const isHex = (text: string): text is Hex => /^0x(?:[0-9a-fA-F]{2})*$/.test(text)

export const bytesToHex = (bytes: Uint8Array): Hex => {
  let text = '0x'
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0')
  return text as Hex // it is built from 0x and digits
}

/** The bytes of a hex text; invalid digits count as 0. */
export const hexToBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const bytes = new Uint8Array(digits.length >> 1)
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16)
  return bytes
}

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
export const keccak = (bytes: Uint8Array): Hex => bytesToHex(keccak_256(bytes))

const checksums = new Map<string, string>()

/** An address with the capitals of EIP-55; any other text stays as it is. */
export const toChecksum = (address: string): string => {
  // What a node gives for one may be anything, of any length.
  if (!isAddress(address)) return address
  const plain = address.toLowerCase()
  const known = checksums.get(plain)
  if (known !== undefined) return known
  const hash = keccak(utf8(plain.slice(2)))
  let text = '0x'
  for (let at = 2; at < plain.length; at++) {
    const digit = plain[at] as string
    text += Number.parseInt(hash[at] as string, 16) >= 8 ? digit.toUpperCase() : digit
  }
  if (checksums.size > 5000) checksums.clear()
  checksums.set(plain, text)
  return text
}

/** The two ends of a long text. */
export const shorten = (text: string, head = 8, tail = 6): string =>
  text.length <= head + tail + 1 ? text : `${text.slice(0, head)}…${text.slice(-tail)}`

/** Returns the account whose code a code stands for (EIP-7702); undefined if it is code of its own. */
export const delegateOf = (code: string): Hex | undefined => {
  const [, address] = /^0xef0100([0-9a-f]{40})$/.exec(code) ?? []
  return address === undefined ? undefined : `0x${address}`
}
