/** Bytes as hex, base64 and UTF-8, by what browsers have for it. It says of everything what `node/binary.ts` says. */

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** How many characters a call is given at once: each is an argument. */
const pieceLength = 8_192

export const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const [one, other] = [a[at] as number, b[at] as number]
    if (one !== other) return one < other ? -1 : 1
  }
  return Math.sign(a.length - b.length)
}

export const searchable = (bytes: Uint8Array): Uint8Array => bytes

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export const encodeHex = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += digits[byte] as string
  return text
}

export const decodeHex = (text: string): Uint8Array =>
  Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(at * 2, at * 2 + 2), 16))

export const encodeBase64 = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceLength)
    text += String.fromCharCode(...bytes.subarray(at, at + pieceLength))
  return btoa(text)
}

export const decodeBase64 = (text: string): Uint8Array | undefined => {
  let decoded: string
  try {
    decoded = atob(text)
  } catch {
    return undefined
  }
  // Spaces, missing padding and bits behind the end are taken by `atob`, and are not what the bytes are encoded to.
  return btoa(decoded) === text ? Uint8Array.from(decoded, (char) => char.charCodeAt(0)) : undefined
}

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text)

export const decodeUtf8 = (bytes: Uint8Array): string => decoder.decode(bytes)
