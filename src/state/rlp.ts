/** As much RLP as trie nodes need, written into a buffer of the caller's. */

/** The bytes of a string's encoding. */
const stringLength = (bytes: Uint8Array): number => {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return 1
  return headerLength(bytes.length) + bytes.length
}

/** The bytes of the header of a string or list with a payload of this length. */
export const headerLength = (payload: number): number => {
  if (payload < 56) return 1
  return payload < 256 ? 2 : payload < 65_536 ? 3 : 4
}

/** Writes a header (0x80 for strings, 0xc0 for lists) and returns where the payload begins. */
export const writeHeader = (target: Uint8Array, at: number, base: number, payload: number): number => {
  if (payload < 56) {
    target[at] = base + payload
    return at + 1
  }
  const size = headerLength(payload) - 1
  target[at] = base + 55 + size
  for (let i = 0; i < size; i++) target[at + 1 + i] = payload >>> (8 * (size - 1 - i))
  return at + 1 + size
}

export const writeString = (target: Uint8Array, at: number, bytes: Uint8Array): number => {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) {
    target[at] = bytes[0] as number
    return at + 1
  }
  const start = writeHeader(target, at, 0x80, bytes.length)
  target.set(bytes, start)
  return start + bytes.length
}

export const encodeString = (bytes: Uint8Array): Uint8Array => {
  const target = new Uint8Array(stringLength(bytes))
  writeString(target, 0, bytes)
  return target
}
