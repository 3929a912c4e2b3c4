import type { CompiledCode, Span } from './compilerJson.ts'

/** How well a code is that of a compiled contract: all of it, or all but the hash of its metadata. */
export type Match = 'exact' | 'metadata'

/** A library begins by pushing its own address, which is only known once it is deployed. */
const libraryHead = Buffer.from(`73${'00'.repeat(20)}3014`, 'hex')
const libraryAddress: Span = { start: 1, length: 20 }

/** The largest CBOR that the compiler appends. */
const maxMetadata = 200

/** Returns whether `other` is this code, whatever a constructor and the linker filled in. */
export const matchCode = ({ bytes, filled }: CompiledCode, other: Uint8Array): Match | undefined => {
  if (bytes.length === 0 || bytes.length !== other.length) return undefined
  const masked = Buffer.from(other)
  const mask = ({ start, length }: Span): void => {
    const part = bytes.subarray(start, start + length)
    if (start >= 0 && start + part.length <= masked.length) masked.set(part, start)
  }
  for (const span of filled) mask(span)
  if (libraryHead.equals(bytes.subarray(0, libraryHead.length))) mask(libraryAddress)
  if (masked.equals(bytes)) return 'exact'
  const metadata = metadataOf(bytes)
  if (metadata === undefined) return undefined
  mask(metadata)
  return masked.equals(bytes) ? 'metadata' : undefined
}

/** Returns where the metadata of a code is, which is CBOR that the last two bytes give the length of. */
const metadataOf = (code: Uint8Array): Span | undefined => {
  const length = 256 * (code.at(-2) ?? 0) + (code.at(-1) ?? 0)
  const start = code.length - 2 - length
  const isMap = start >= 0 && ((code[start] ?? 0) & 0xf0) === 0xa0
  return isMap && length > 0 && length <= maxMetadata ? { start, length } : undefined
}
