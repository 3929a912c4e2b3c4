import { nested } from '../../gateway/replay/wire.ts'

/** Messages of protobuf in a stream, each with its length before it. */

export const delimited = (message: Uint8Array): Uint8Array => nested(0, message).subarray(1)

/** The first message of the bytes, if it is there whole, and what follows it. */
export const splitMessage = (bytes: Uint8Array): readonly [Uint8Array | undefined, Uint8Array] => {
  let length = 0
  for (const [at, byte] of bytes.entries()) {
    length |= (byte & 0x7f) << (7 * at)
    if (byte >= 0x80) continue
    const end = at + 1 + length
    return bytes.length < end ? [undefined, bytes] : [bytes.subarray(at + 1, end), bytes.subarray(end)]
  }
  return [undefined, bytes]
}
