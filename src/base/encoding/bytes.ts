import { compareBytes, decodeHex, encodeHex } from '#platform/binary'

export { compareBytes }

export const emptyBytes = new Uint8Array(0)

export const maxUint64 = 2n ** 64n - 1n
export const maxUint256 = 2n ** 256n - 1n

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Returns bytes that keep no larger buffer alive: a part of one is copied. */
export const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

export const equalBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && compareBytes(a, b) === 0

/** Decodes an unsigned big-endian integer. */
export const toBigInt = (bytes: Uint8Array): bigint => {
  if (bytes.length === 0) return 0n
  return BigInt(`0x${encodeHex(bytes)}`)
}

/** Encodes an integer as big-endian, left-padded to `length` bytes; throws if it does not fit. */
export const fromBigInt = (value: bigint, length: number): Uint8Array => {
  const digits = value.toString(16)
  if (value < 0n || digits.length > length * 2) throw new RangeError(`${value} does not fit ${length} bytes`)
  return decodeHex(digits.padStart(length * 2, '0'))
}
