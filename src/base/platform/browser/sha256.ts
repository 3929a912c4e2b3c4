import { sha256 as noble } from '@noble/hashes/sha2.js'

/** In JavaScript: WebCrypto's is asynchronous, and a header has two dozen hashes of a few bytes each. */
export const sha256 = (...parts: readonly Uint8Array[]): Uint8Array => {
  const hash = noble.create()
  for (const part of parts) hash.update(part)
  return hash.digest()
}
