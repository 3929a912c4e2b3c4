import type { CompiledCode, Span } from './compilerJson.ts'

/** How well a code is that of a compiled contract: all of it, or all but the hash of its metadata. */
export type Match = 'exact' | 'metadata'

/** The largest CBOR that the compiler appends. */
const maxMetadata = 200

/** Returns whether `other` is this code, whatever a constructor and the linker filled in. */
export const matchCode = ({ bytes, filled }: CompiledCode, other: Uint8Array): Match | undefined => {
  if (bytes.length === 0 || bytes.length !== other.length) return undefined
  const { start, length } = metadataOf(bytes) ?? { start: bytes.length, length: 0 }
  const isEqual = (from: number, to: number): boolean => areEqual(bytes, other, filled, from, to)
  if (!isEqual(0, start) || !isEqual(start + length, bytes.length)) return undefined
  return isEqual(start, start + length) ? 'exact' : 'metadata'
}

/** Whether two codes have the same bytes from one place to another, but for what is filled in. */
const areEqual = (
  code: Uint8Array,
  other: Uint8Array,
  filled: readonly Span[],
  start: number,
  end: number,
): boolean => {
  const isSame = (from: number, to: number): boolean =>
    from >= to || Buffer.compare(code.subarray(from, to), other.subarray(from, to)) === 0
  let at = start
  for (const span of filled) {
    if (!isSame(at, Math.min(end, span.start))) return false
    at = Math.max(at, span.start + span.length)
  }
  return isSame(at, end)
}

/** Returns where the metadata of a code is, which is CBOR that the last two bytes give the length of. */
const metadataOf = (code: Uint8Array): Span | undefined => {
  const length = 256 * (code.at(-2) ?? 0) + (code.at(-1) ?? 0)
  const start = code.length - 2 - length
  const isMap = start >= 0 && ((code[start] ?? 0) & 0xf0) === 0xa0
  return isMap && length > 0 && length <= maxMetadata ? { start, length } : undefined
}
