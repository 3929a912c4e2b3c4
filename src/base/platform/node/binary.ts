/** Bytes as hex, base64 and UTF-8, by what Node.js has for it; a bundle for browsers has `browser/binary.ts` in its place. */

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Orders bytes as Go and LMDB do: by the first that differs, then by length. */
export const compareBytes = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)

/** Returns the same bytes with the fastest `indexOf` that there is. */
export const searchable = (bytes: Uint8Array): Uint8Array => viewOf(bytes)

/** Encodes bytes in lower-case digits, without 0x. */
export const encodeHex = (bytes: Uint8Array): string => viewOf(bytes).toString('hex')

/** Decodes digits, which the caller has checked. */
export const decodeHex = (digits: string): Uint8Array => new Uint8Array(Buffer.from(digits, 'hex'))

export const encodeBase64 = (bytes: Uint8Array): string => viewOf(bytes).toString('base64')

/** Returns the bytes of canonical base64, and undefined for any other text. */
export const decodeBase64 = (text: string): Uint8Array | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined
}

/** Encodes text as UTF-8; half of a surrogate pair becomes U+FFFD. */
export const encodeUtf8 = (text: string): Uint8Array => Buffer.from(text)

/** Decodes UTF-8; invalid bytes become U+FFFD, and a byte order mark stays. */
export const decodeUtf8 = (bytes: Uint8Array): string => viewOf(bytes).toString()
