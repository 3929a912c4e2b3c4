import { createHash } from 'node:crypto'

/** Returns the SHA-256 hash of the concatenated parts. */
export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
