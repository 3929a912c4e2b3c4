import { decodeBase64, encodeBase64 } from '#platform/binary'

export const toBase64 = (bytes: Uint8Array): string => encodeBase64(bytes)

/** Returns the bytes of canonical base64, and undefined for any other text. */
export const fromBase64 = (text: string): Uint8Array | undefined =>
  text.length % 4 === 0 ? decodeBase64(text) : undefined
